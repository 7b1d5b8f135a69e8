"""By how many powers of ten a metric falls per round."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from fedatlas.claims.quantities._base import round_name
from fedatlas.claims.quantities._falling import Falling
from fedatlas.formatting import number
from fedatlas.results.run import Run


class Rate(Falling):
    """By how many powers of ten the metric falls per round, the slope of a least-squares line.

    The line is fitted to the evaluations from round `start` to round `end`, but to none once the floor is reached; NaN
    with fewer than three of them.
    """

    kind: Literal["rate"]

    @property
    def reads_between(self) -> bool:
        return True

    def measure(self, run: Run) -> float:
        values = self.logarithms(run)
        fitted = values[~(values <= math.log10(self.floor)).cummax()]
        return -float(np.polyfit(fitted.index, fitted, 1)[0]) if len(fitted) > 2 and fitted.notna().all() else math.nan

    def describe(self) -> str:
        return f"fall of {self.name} in powers of ten per round, from round {self.start} to {round_name(self.end)}"

    def format(self, value: float) -> str:
        return "no line" if math.isnan(value) else number(value)
