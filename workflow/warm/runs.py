"""What fetching, partitioning and running a notebook need: imported once, by the process that they are forked from.

It is there in a second, where what pages need takes six: the first training waits for no library that draws.
"""

import importlib
import sys

from nbformat.validator import get_validator

from fedatlas.warm import SPARED

sys.modules.update(dict.fromkeys(SPARED))
for name in (
    "papermill",
    "black",  # papermill writes parameters with it
    "fedatlas.cli.data",
    "fedatlas.data.catalogue",
):
    importlib.import_module(name)
for name in SPARED:
    del sys.modules[name]

get_validator(4, 5)  # compiles the schema of notebooks
