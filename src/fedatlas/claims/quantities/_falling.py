"""What is said of the logarithm of a metric that falls towards zero."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from fedatlas.claims.quantities._base import OfMetric, Round, entry
from fedatlas.config import REAL
from fedatlas.formatting import number
from fedatlas.results.run import Run

if TYPE_CHECKING:
    import pandas as pd


class Falling(OfMetric):
    """What is said of the logarithm of a metric that falls towards zero.

    Attributes:
        floor: below it the metric is rounding, so that nothing below it counts.
    """

    start: Round
    end: Round | Literal["last"]
    floor: Annotated[float, Field(gt=0), REAL]

    def logarithms(self, run: Run) -> pd.Series:
        """log10 of the metric from round `start` to `end`, nowhere below the floor's."""
        values = run.values(self.metric, self.split)
        entry(values, self.start, run), entry(values, self.end, run)
        return np.log10(values.loc[self.start : None if self.end == "last" else self.end].clip(lower=self.floor))

    def format(self, value: float) -> str:
        return "diverged" if math.isnan(value) else number(value)
