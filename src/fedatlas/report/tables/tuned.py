"""The hyper-parameters that our sweeps select, as decimal logarithms."""

from __future__ import annotations

from fedatlas.report.tables._base import Cell, ColumnsBeside
from fedatlas.report.tables._typesetting import NONE, SYMBOLS, chosen_logarithm


class Tuned(ColumnsBeside):
    """Of the data set and the algorithm of each row."""

    def heads(self) -> list[str]:
        return ["ours: scale", "ours: data", "ours: log₁₀ η_l", "ours: its value (log₁₀)"]

    def ours(self, cell: Cell, place: int) -> list[list[str]]:
        results = self.of(self.plan.of.get(cell["dataset"]))
        if results is None or (entry := results.named(cell["algorithm"])) is None:
            return [[NONE] * 4]
        second: str = cell["second"]
        names = (SYMBOLS["eta_l"], SYMBOLS.get(second, second))
        return [[results.scale, results.data, *(chosen_logarithm(results.sweep_run(entry), name) for name in names)]]
