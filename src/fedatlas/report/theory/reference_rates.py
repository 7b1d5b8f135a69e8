"""Rates of the theory as curves, to be drawn under what was measured.

A theorem says `error <= C rate(n)` and leaves C open, so the curve of `rate` starts at a measured point.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import pandas as pd

from fedatlas.formatting import number
from fedatlas.report.model.figure import Figure, Guide
from fedatlas.results.axes import Axis
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.run import Run


class ReferenceRate(NamedTuple):
    """A rate's name and kind, the run that it starts from, and its curve; columns round, x, value."""

    name: str
    kind: str
    run: Run
    curve: pd.DataFrame


def reference_rates(results: ExperimentResults, figure: Figure, against: Axis) -> list[ReferenceRate]:
    """The rates in the picture of one experiment. Off the rounds they cost what the run costs that they start from."""
    if not figure.panels:
        return []
    runs = results.federated.holding(figure.panels[0])
    drawn = [_rate(guide, run, figure, against) for guide in figure.guides if (run := _start(guide, runs))]
    return [rate for rate in drawn if rate is not None]


def _start(guide: Guide, results: ExperimentResults) -> Run | None:
    """The run whose first point the rate starts from, if it belongs into the picture."""
    algorithm = guide.run or next(iter(results.runs), "")
    if (guide.of and results.experiment.id not in guide.of) or algorithm not in results.runs:
        return None
    return results.any_run(algorithm)


def _rate(guide: Guide, run: Run, figure: Figure, against: Axis) -> ReferenceRate | None:
    panel = figure.panels[0]
    curve = run.curve(panel.metric, panel.split, against).reset_index()
    rho = run.configuration.get("rho") if guide.rho == "selected" else guide.rho
    if guide.kind == "inverse_square":
        curve, rho = curve[curve["round"] > 0], 0.0
    elif not rho:
        return None
    if curve.empty or not math.isfinite(curve["value"].iloc[0]):
        return None
    first, value = curve["round"].iloc[0], curve["value"].iloc[0]
    n = curve["round"]
    shape = (first / n) ** 2 if guide.kind == "inverse_square" else (1 - math.sqrt(rho)) ** (n - first)
    return ReferenceRate(guide.label.format(rho=number(rho)), guide.kind, run, curve.assign(value=value * shape))
