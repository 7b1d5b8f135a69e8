"""A metric at a round."""

from __future__ import annotations

import math
from typing import Literal

from fedatlas.claims.quantities._base import OfMetric, Round, entry
from fedatlas.formatting import number
from fedatlas.results.run import Run


class Value(OfMetric):
    """The metric at a round (`last`: the last one evaluated; `mean`: averaged over all evaluated rounds)."""

    kind: Literal["value"]
    at: Round | Literal["last", "mean"]

    def measure(self, run: Run) -> float:
        values = run.values(self.metric, self.split)
        if self.at == "mean":
            return float(values.mean(skipna=False))
        return float(entry(values, self.at, run))

    def describe(self) -> str:
        when = {"last": "at the last round", "mean": "averaged over the rounds"}.get(self.at, f"at round {self.at}")
        return f"{self.name} {when}"

    def format(self, value: float) -> str:
        return "diverged" if math.isnan(value) else number(value)
