"""One file per kind of table. The folder is the registry: the module's name is the kind everywhere."""

from __future__ import annotations

from fedatlas.errors import AtlasError
from fedatlas.registry import Registry
from fedatlas.report.model.figure import Figure
from fedatlas.report.model.paper_results import PaperResults
from fedatlas.report.model.papers import Paper
from fedatlas.report.tables._base import Made, PaperTable
from fedatlas.results.collection import Results

tables: Registry[PaperTable] = Registry(__name__, PaperTable, "kind of table")


def make_table(paper: Paper, figure: Figure, printed: PaperResults, results: Results) -> Made:
    """The table of a figure: the paper's numbers, with ours beside them; experiments that were not run stay empty.

    Raises:
        AtlasError: if the figure has no table, the paper's part is not there, or there is no such kind of table.
    """
    plan = figure.table
    if plan is None:
        tabled = [one.id for one in paper.figures if one.table]
        raise AtlasError(f"'{figure.id}' of {paper.id} has no table; these have one: {', '.join(tabled) or 'none'}.")
    return tables[plan.kind](paper, plan, results).make(printed[plan.source][plan.cells])
