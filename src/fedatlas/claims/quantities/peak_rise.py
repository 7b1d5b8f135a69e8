"""By how many powers of ten the peak of n^k times a metric still rises late in a run."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from fedatlas.claims.quantities._base import OfMetric, entry
from fedatlas.config import REAL
from fedatlas.formatting import number
from fedatlas.results.run import Run


class PeakRise(OfMetric):
    """By how many powers of ten the peak of n^`power` times the metric in rounds after `middle` exceeds that up to it.

    A metric that falls like n^-p, p < `power`, gives (`power` - p) log10(`end` / `middle`) above 0, one that falls
    faster a number below 0.
    """

    kind: Literal["peak_rise"]
    power: Annotated[float, Field(gt=0), REAL]
    middle: int = Field(gt=0)
    end: int = Field(gt=0)

    @model_validator(mode="after")
    def _late_rounds(self) -> PeakRise:
        if self.end <= self.middle:
            raise ValueError(f"'end' is {self.end}, but must come after 'middle', which is {self.middle}")
        return self

    @property
    def rounds(self) -> dict[str, int]:
        return {"middle": self.middle, "end": self.end}

    @property
    def reads_between(self) -> bool:
        return True

    def measure(self, run: Run) -> float:
        values = run.values(self.metric, self.split)
        entry(values, self.middle, run), entry(values, self.end, run)
        values = values.loc[1 : self.end]
        scaled = values * values.index.to_numpy(dtype=float) ** self.power
        early, late = scaled.loc[: self.middle].max(skipna=False), scaled.loc[self.middle + 1 :].max(skipna=False)
        return float(np.log10(late / early)) if early > 0 and late > 0 else math.nan

    def describe(self) -> str:
        power = "n" if self.power == 1 else f"n^{number(self.power)}"
        window = f"rounds {self.middle + 1} to {self.end} over its peak up to round {self.middle}"
        return f"peak of {power} × {self.name} in {window}, in powers of ten"

    def format(self, value: float) -> str:
        return "diverged" if math.isnan(value) else number(value)
