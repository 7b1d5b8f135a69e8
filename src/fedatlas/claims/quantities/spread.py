"""How much a score depends on a hyper-parameter."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from fedatlas.claims.quantities._base import OfSweep
from fedatlas.config import ONCE, Count, Number
from fedatlas.experiments.sections import Best, MeanCriterion
from fedatlas.formatting import hyperparameter_name, number
from fedatlas.results.run import Run
from fedatlas.results.selection import best_along, scores


class Spread(OfSweep):
    """How far apart the scores lie that can be had with each value of a hyper-parameter, the others as they are best.

    A score is the metric's mean over the last rounds; infinite with a value that makes all configurations diverge.

    Attributes:
        along: the hyper-parameter; of several the first that the sweep varies, as algorithms have different ones.
        best: which end of the metric is better.
        at: a value of it; then it is how much worse than with the best one the score is with this value.
        decades: in powers of ten instead of the metric's own unit.
    """

    positive: ClassVar[bool] = True

    kind: Literal["spread"]
    along: Annotated[tuple[str, ...], Field(min_length=1), ONCE]
    over_last: Count
    best: Best
    at: Number | None = None
    decades: bool = False

    @property
    def rounds(self) -> dict[str, int]:
        return {}  # its `at` is a value of the hyper-parameter

    @property
    def settings(self) -> tuple[str, ...]:
        return self.along

    def measure(self, run: Run) -> float:
        varied = [name for name in self.along if name in run.varied]
        if not varied:
            return math.nan
        criterion = MeanCriterion(metric=self.metric, split=self.split, best=self.best, over_last=self.over_last)
        scored = scores(run.table, criterion)
        self.check_all_held(scored.index, run)
        worst = -math.inf if self.best == "highest" else math.inf
        by_value = best_along(run.grid, scored, varied[0], self.best).map(scored).fillna(worst)
        if self.decades:
            with np.errstate(divide="ignore"):
                by_value = np.log10(by_value.clip(lower=0))  # what has diverged stays the worst
        if self.at is None:
            return float(by_value.max() - by_value.min())
        here = next((score for value, score in by_value.items() if math.isclose(value, self.at)), math.nan)
        return float(abs((by_value.max() if self.best == "highest" else by_value.min()) - here))

    def describe(self) -> str:
        names = " or ".join(map(hyperparameter_name, self.along))
        unit = ", in powers of ten" if self.decades else ""
        mean = f"mean {self.name} of the last {self.over_last} rounds"
        if self.at is None:
            return f"spread of the {mean} over the values of {names}{unit}"
        return f"what {names} = {number(self.at)} costs in {mean}{unit}"

    def format(self, value: float) -> str:
        return "not varied" if math.isnan(value) else number(value)
