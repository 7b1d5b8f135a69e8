"""After how many rounds a metric reaches a target."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

from fedatlas.claims.quantities._base import OfMetric, Read
from fedatlas.config import Number
from fedatlas.formatting import metric_name, number
from fedatlas.results.run import Run


class RoundsTo(OfMetric):
    """The first evaluated round at which the metric is at least (`rising`) or at most `reach`; inf if there is none.

    Attributes:
        against: a cost (split `cost`) whose total up to that round is given instead of the round's number.
    """

    positive: ClassVar[bool] = True
    of_diverged: ClassVar[float] = math.inf

    kind: Literal["rounds_to"]
    reach: Number
    rising: bool
    against: str | None = None

    @property
    def reads(self) -> tuple[Read, ...]:
        cost = (Read("cost", self.against, "against"),) if self.against else ()
        return (*super().reads, *cost)

    @property
    def reads_between(self) -> bool:
        return True

    def measure(self, run: Run) -> float:
        values = run.values(self.metric, self.split)
        reached = values >= self.reach if self.rising else values <= self.reach
        if not reached.any():
            return math.inf
        first = values.index[reached.to_numpy()].min()
        return float(first if self.against is None else run.values(self.against, "cost")[first])

    def describe(self) -> str:
        what = "rounds" if self.against is None else metric_name(self.against)
        return f"{what} until {self.name} {'≥' if self.rising else '≤'} {number(self.reach)}"

    def format(self, value: float) -> str:
        return "never" if math.isinf(value) else number(value)
