"""Rates of the theory as curves, to be drawn under what was measured.

A theorem says `error <= C rate(n)` and leaves C open, so the curve of `rate` starts at a measured point.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from fedatlas.claims.evidence import Evidence
from fedatlas.claims.words import number
from fedatlas.experiments.results import Axis, Run
from fedatlas.report import frames
from fedatlas.report.papers import Figure, Guide


class Drawn(NamedTuple):
    """A guide's name and kind, the run that it starts from, and its curve; columns round, x, value."""

    name: str
    kind: str
    run: Run
    curve: pd.DataFrame


def guides(evidence: Evidence, key: str, figure: Figure, against: Axis) -> list[Drawn]:
    """The guides in the picture of one experiment. Off the rounds they cost what the run costs that they start from."""
    if not figure.panels:
        return []
    runs = frames.holding(frames.federated(evidence, key), figure.panels[0])
    drawn = [_draw(guide, run, figure, against) for guide in figure.guides if (run := _start(guide, key, runs))]
    return [guide for guide in drawn if guide is not None]


def _start(guide: Guide, key: str, runs: frames.Runs) -> Run | None:
    """The run whose first point the guide starts from, if it belongs into the picture."""
    if guide.of and key.split("/")[1] not in guide.of:
        return None
    by_seed: Mapping[int, Run] = runs.get(guide.run or next(iter(runs), ""), {})
    return next(iter(by_seed.values()), None)


def _draw(guide: Guide, run: Run, figure: Figure, against: Axis) -> Drawn | None:
    curve = frames.best_curve(run, figure.panels[0], against)
    rho = _rho(guide, run)
    if guide.kind == "inverse_square":
        curve = curve[curve["round"] > 0]
    elif not rho:
        return None
    if curve.empty or not math.isfinite(curve["value"].iloc[0]):
        return None
    first, value = curve["round"].iloc[0], curve["value"].iloc[0]
    n = curve["round"]
    shape = (first / n) ** 2 if guide.kind == "inverse_square" else (1 - math.sqrt(rho)) ** (n - first)
    return Drawn(guide.label.format(rho=number(rho or 0)), guide.kind, run, curve.assign(value=value * shape))


def _rho(guide: Guide, run: Run) -> float | None:
    if guide.rho != "selected":
        return guide.rho
    return run.manifest["configurations"][run.manifest["selected"]["configuration"]].get("rho")
