"""What every kind of table can do.

A kind is one file of this folder with one subclass of `PaperTable`. No other file knows it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fedatlas.report.model.figure import Table
from fedatlas.report.model.papers import Paper
from fedatlas.report.tables._typesetting import NONE, printed_cells
from fedatlas.results.collection import ExperimentResults, Results

Cell = Mapping[str, Any]  # a row of the paper's numbers, by column


@dataclass(frozen=True)
class Made:
    """A table: the headings and the cells of every row as text.

    Attributes:
        ours: the columns from this one on are ours.
        our_rows: the numbers of rows that are ours.
        bold: (row, column) of the cells that stand out.
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    ours: int
    note: str
    our_rows: frozenset[int] = frozenset()
    bold: frozenset[tuple[int, int]] = frozenset()

    def is_ours(self, row: int, column: int) -> bool:
        return column >= self.ours or row in self.our_rows


class PaperTable(ABC):
    """One kind of table, of one paper and the results that stand beside its numbers."""

    def __init__(self, paper: Paper, plan: Table, results: Results):
        self.paper, self.plan, self.results = paper, plan, results

    @abstractmethod
    def make(self, printed: Any) -> Made:
        """The table from what the paper prints."""

    def of(self, id: str | None) -> ExperimentResults | None:
        """The results of an experiment of the paper, if it was run."""
        return self.results.experiments.get(f"{self.paper.id}/{id}")

    def headings(self) -> list[str]:
        """Of our columns, one for each experiment; says its scale where that is not the papers' own."""
        return [f"{heading}{self._scale(id)}" for heading, id in self.plan.of.items()]

    def _scale(self, id: str) -> str:
        found = self.of(id)
        return "" if found is None or found.scale == self.results.scale else f", {found.scale} scale"


class ColumnsBeside(PaperTable):
    """A kind whose rows are the paper's, with our columns to the right of its own."""

    @abstractmethod
    def heads(self) -> list[str]:
        """The headings of our columns."""

    @abstractmethod
    def ours(self, cell: Cell, place: int) -> list[list[str]]:
        """Our cells beside the paper's row number `place`; several rows if several of our runs are meant."""

    def make(self, printed: Sequence[Cell]) -> Made:
        columns = self.plan.columns
        rows = [
            [*(printed_cells(cell, columns) if first == 0 else [""] * len(columns)), *own]
            for place, cell in enumerate(printed)
            for first, own in enumerate(self.ours(cell, place))
        ]
        return Made([*columns.values(), *self.heads()], rows, len(columns), self.plan.note)


class OfDataSets(ColumnsBeside):
    """A kind whose rows are data sets, by their name in the paper."""

    about: tuple[str, ...]  # the headings of what is said of our runs

    @abstractmethod
    def describe(self, results: ExperimentResults) -> list[str]:
        """What is said of our runs on a data set, in the order of `about`."""

    def heads(self) -> list[str]:
        return [f"ours: {head}" for head in ("scale", *self.about)]

    def ours(self, cell: Cell, place: int) -> list[list[str]]:
        found = self.of(self.plan.of.get(cell["dataset"]))
        return [[NONE] * (1 + len(self.about)) if found is None else [found.scale, *self.describe(found)]]
