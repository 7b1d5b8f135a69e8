"""The hyper-parameters that our sweeps select, beside the paper's."""

from __future__ import annotations

import math

from fedatlas.formatting import number
from fedatlas.report.tables._base import Cell, ColumnsBeside
from fedatlas.report.tables._typesetting import NONE, SYMBOLS, chosen
from fedatlas.results.collection import ExperimentResults

LOCAL_STEPS = "K"  # what the papers call them; they are no hyper-parameter of an algorithm here


class Hyperparameters(ColumnsBeside):
    """The selected value, and the grid if there was a choice."""

    def heads(self) -> list[str]:
        return [f"ours: {heading}" for heading in self.headings()]

    def ours(self, cell: Cell, place: int) -> list[list[str]]:
        return [[self._selected(self.of(id), cell) for id in self.plan.of.values()]]

    def _selected(self, results: ExperimentResults | None, cell: Cell) -> str:
        if results is None or (entry := results.named(cell["algorithm"])) is None:
            return NONE
        symbol: str = cell["param"]
        run, name = results.sweep_run(entry), SYMBOLS.get(symbol, symbol)
        if name == LOCAL_STEPS:
            return number(results.experiment.for_algorithm(entry).training.local_steps or math.nan)
        if name not in run.configuration:
            return "formula" if any(_is_formula(cell.get(column)) for column in self.plan.columns) else NONE
        return chosen(run, name)


def _is_formula(printed: object) -> bool:
    return "(" in str(printed) or "formula" in str(printed)
