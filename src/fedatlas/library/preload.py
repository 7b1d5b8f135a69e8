"""What the jobs of a study need: imported once, by the process that they are forked from (see `fedatlas.warm`).

Nothing here may run TensorFlow: a process that has cannot be forked.
"""

import atexit
import gc
import importlib

from fedatlas.algorithms import algorithms
from fedatlas.problems import problems
from fedatlas.prox import penalties

for name in ("pyarrow.parquet", "fedatlas.library.workspace", "fedatlas.running.runner"):
    importlib.import_module(name)

for registry in (algorithms, penalties, problems):  # a study's file looks names up in all
    list(registry.values())

atexit.register(gc.unfreeze)  # else what TFF clears up when it is collected would look for modules that are gone
