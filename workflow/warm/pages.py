"""What verdicts, figures and pages need: imported once, by the process that their jobs are forked from."""

import importlib

from fedatlas.report.overviews import overviews
from fedatlas.report.tables import tables
from fedatlas.report.views import views

for name in (
    "ipykernel.kernelapp",  # figures are drawn in a notebook
    "IPython.display",
    "pyarrow.parquet",
    "fedatlas.cli.report",
    "fedatlas.experiments.runs",
    "fedatlas.report.notebook",
    "fedatlas.report.pages.site",
):
    importlib.import_module(name)

for registry in (overviews, tables, views):
    list(registry.values())
