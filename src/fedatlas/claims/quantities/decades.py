"""By how many powers of ten a metric falls."""

from __future__ import annotations

from typing import Literal

from fedatlas.claims.quantities._base import round_name
from fedatlas.claims.quantities._falling import Falling
from fedatlas.results.run import Run


class Decades(Falling):
    """By how many powers of ten the metric falls from round `start` to round `end`, no further than to the floor.

    As every algorithm of an experiment starts alike, a lead of m powers of ten from round 0 is a factor of 10^m.
    """

    kind: Literal["decades"]

    def measure(self, run: Run) -> float:
        values = self.logarithms(run)
        return float(values.iloc[0] - values.iloc[-1])

    def describe(self) -> str:
        return f"fall of {self.name} in powers of ten from round {self.start} to {round_name(self.end)}"
