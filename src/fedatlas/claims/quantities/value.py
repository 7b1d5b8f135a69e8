"""A metric at a round."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import ClassVar, Literal

from fedatlas.claims.quantities._base import OfMetric, Round, entry
from fedatlas.formatting import number
from fedatlas.results.run import Run

SATURATED = 0.95  # an accuracy above which a task tells no methods apart


class Value(OfMetric):
    """The metric at a round (`last`: the last one evaluated; `mean`: averaged over all evaluated rounds)."""

    positive: ClassVar[bool] = True

    kind: Literal["value"]
    at: Round | Literal["last", "mean"]

    @property
    def reads_between(self) -> bool:
        return self.at == "mean"

    def measure(self, run: Run) -> float:
        values = run.values(self.metric, self.split)
        if self.at == "mean":
            return float(values.mean(skipna=False))
        return float(entry(values, self.at, run))

    def sampling_error(self, run: Run, value: float) -> float:
        """Binomial, of an accuracy over all examples of its split."""
        examples = run.manifest.dataset.by_split.get(self.split)
        if self.metric != "accuracy" or not examples or not 0 <= value <= 1:
            return 0.0
        return math.sqrt(value * (1 - value) / examples)

    def saturated(self, values: Iterable[float]) -> bool:
        return "accuracy" in self.metric and all(value > SATURATED for value in values)

    def describe(self) -> str:
        when = {"last": "at the last round", "mean": "averaged over the rounds"}.get(
            str(self.at), f"at round {self.at}"
        )
        return f"{self.name} {when}"

    def format(self, value: float) -> str:
        return "diverged" if math.isnan(value) else number(value)
