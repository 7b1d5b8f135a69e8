"""What the jobs of the workflow environment need: imported once, by the process that they are forked from."""

import importlib

from nbformat.validator import get_validator

for name in (
    "papermill",
    "black",  # papermill writes parameters with it
    "IPython.display",
    "pyarrow.parquet",
    "fedatlas.cli.data",
    "fedatlas.cli.report",
    "fedatlas.data.catalogue",
    "fedatlas.experiments.runs",
    "fedatlas.report.site",
):
    importlib.import_module(name)

get_validator(4, 5)  # compiles the schema of notebooks
