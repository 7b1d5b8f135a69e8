"""By how much a metric on one split exceeds that on another."""

from __future__ import annotations

import math
from typing import Literal

from fedatlas.claims.quantities._base import OfMetric, Read, Round, entry, round_name
from fedatlas.experiments.sections import Split
from fedatlas.formatting import change, metric_name
from fedatlas.results.run import Run


class Contrast(OfMetric):
    """By how much the metric on its split exceeds that on another one at a round, such as training over test.

    Attributes:
        minus: the other split.
    """

    kind: Literal["contrast"]
    minus: Split
    at: Round | Literal["last"]

    @property
    def reads(self) -> tuple[Read, ...]:
        return (*super().reads, Read(self.minus, self.metric, "minus"))

    def measure(self, run: Run) -> float:
        first, second = (run.values(self.metric, split) for split in (self.split, self.minus))
        return float(entry(first, self.at, run)) - float(entry(second, self.at, run))

    def describe(self) -> str:
        return f"{self.name} less {metric_name(self.metric, self.minus)} at {round_name(self.at)}"

    def format(self, value: float) -> str:
        return "diverged" if math.isnan(value) else change(value)
