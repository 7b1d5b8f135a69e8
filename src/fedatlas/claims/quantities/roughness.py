"""By how many powers of ten a metric jumps about its trend."""

from __future__ import annotations

from typing import Literal

from fedatlas.claims.quantities._base import round_name
from fedatlas.claims.quantities._falling import Falling
from fedatlas.results.run import Run


class Roughness(Falling):
    """By how many powers of ten the metric jumps about its trend from one evaluation to the next.

    The standard deviation of the differences of its logarithm, which is 0 for a curve that falls at a constant rate.
    """

    kind: Literal["roughness"]

    @property
    def reads_between(self) -> bool:
        return True

    def measure(self, run: Run) -> float:
        return float(self.logarithms(run).diff().iloc[1:].std(skipna=False))

    def describe(self) -> str:
        window = f"from round {self.start} to {round_name(self.end)}"
        return f"jumps of {self.name} in powers of ten between evaluations, {window}"
