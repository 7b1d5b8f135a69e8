"""What the jobs of the workflow environment need: imported once, by the process that they are forked from."""

import importlib

from nbformat.validator import get_validator

from fedatlas.report.overviews import overviews
from fedatlas.report.tables import tables
from fedatlas.report.views import views

for name in (
    "papermill",
    "black",  # papermill writes parameters with it
    "IPython.display",
    "pyarrow.parquet",
    "fedatlas.cli.data",
    "fedatlas.cli.report",
    "fedatlas.data.catalogue",
    "fedatlas.experiments.runs",
    "fedatlas.report.notebook",
    "fedatlas.report.pages.site",
):
    importlib.import_module(name)

for registry in (overviews, tables, views):
    list(registry.values())

get_validator(4, 5)  # compiles the schema of notebooks
