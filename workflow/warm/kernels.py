"""What training notebooks need: imported once, by the process that their kernels are forked from.

Nothing here may run TensorFlow: a process that has cannot be forked.
"""

import importlib

from fedatlas.algorithms import algorithms
from fedatlas.data.catalogue import datasets
from fedatlas.problems import problems
from fedatlas.prox import penalties

for name in ("ipykernel.kernelapp", "pyarrow.parquet", "fedatlas.running.workbench", "fedatlas.running.runner"):
    importlib.import_module(name)

for registry in (algorithms, datasets, penalties, problems):  # reading an experiment's file looks names up in all
    list(registry.values())
