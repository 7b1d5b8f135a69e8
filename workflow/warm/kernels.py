"""What training notebooks need: imported once, by the process that their kernels are forked from.

Nothing here may run TensorFlow: a process that has cannot be forked.
"""

import importlib

from fedatlas.algorithms import algorithms
from fedatlas.problems import problems

for name in ("ipykernel.kernelapp", "pyarrow.parquet", "fedatlas.experiments.workbench", "fedatlas.experiments.runner"):
    importlib.import_module(name)

for registry in (algorithms, problems):
    list(registry.values())
