"""By how much a metric changes between two rounds."""

from __future__ import annotations

import math
from typing import Literal

from fedatlas.claims.quantities._base import OfMetric, Round, entry, round_name
from fedatlas.formatting import change
from fedatlas.results.run import Run


class Trend(OfMetric):
    """By how much the metric changes from round `start` to round `end`."""

    kind: Literal["trend"]
    start: Round
    end: Round | Literal["last"]

    def measure(self, run: Run) -> float:
        values = run.values(self.metric, self.split)
        return float(entry(values, self.end, run)) - float(entry(values, self.start, run))

    def describe(self) -> str:
        return f"change of {self.name} from round {self.start} to {round_name(self.end)}"

    def format(self, value: float) -> str:
        return "diverged" if math.isnan(value) else change(value)
