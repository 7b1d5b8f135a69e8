"""How many communications and gradient evaluations it took until a metric was small enough."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import numpy as np

from fedatlas.formatting import number
from fedatlas.report.tables._base import Cell, ColumnsBeside
from fedatlas.report.tables._typesetting import NONE
from fedatlas.results.axes import Axis
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.metric import Metric
from fedatlas.results.run import Run

COSTS: dict[Axis, str] = {"communications": "communications", "gradients": "gradient evaluations"}


class CostsToAccuracy(ColumnsBeside):
    """Until the first panel's metric is at most `reach`, of every one of our algorithms that a row is about."""

    def heads(self) -> list[str]:
        return ["our runs", *(f"{heading}: {words}" for heading in self.headings() for words in COSTS.values())]

    def ours(self, cell: Cell, place: int) -> list[list[str]]:
        names = self._names(self.plan.ours.get(cell["algorithm"], [cell["algorithm"]]))
        return [[name, *self._spent(name)] for name in names] or [[NONE] * len(self.heads())]

    def _names(self, wanted: Sequence[str]) -> list[str]:
        """The display names of our runs that are meant by ids or names, in that order."""
        known: dict[str, str] = {}
        for id in self.plan.of.values():
            if found := self.of(id):
                known |= {key: name for entry, name in found.federated.names.items() for key in (entry, name)}
        return list(dict.fromkeys(known[one] for one in wanted if one in known))

    def _spent(self, name: str) -> list[str]:
        return [self._cost(self.of(id), name, axis) for id in self.plan.of.values() for axis in COSTS]

    def _cost(self, results: ExperimentResults | None, name: str, axis: Axis) -> str:
        if results is None or (entry := results.named(name)) is None:
            return NONE
        metric = self.paper.figure(results.experiment.figure).panels[0]
        if not results.any_run(entry).holds(metric.metric, metric.split):
            return NONE
        return _mean_cost(results.scored(entry), metric, cast(float, self.plan.reach), axis)


def _mean_cost(runs: Sequence[Run], metric: Metric, reach: float, axis: Axis) -> str:
    """The mean over seeds of the cost at which the metric is first at most `reach`; 'never' if one seed never is."""
    mean = float(np.mean([cost_until(run, metric, reach, axis) for run in runs]))
    return "never" if math.isinf(mean) else NONE if math.isnan(mean) else number(float(f"{mean:.3g}"))


def cost_until(run: Run, metric: Metric, reach: float, axis: Axis) -> float:
    """The cost of the selected configuration when the metric was first at most `reach`; infinite if it never was."""
    curve = run.curve(metric.metric, metric.split, axis)
    met = curve[curve["value"] <= reach]
    return float(met["x"].iloc[0]) if len(met) else math.inf
