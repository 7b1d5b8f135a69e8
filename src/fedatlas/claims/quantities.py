"""The numbers that claims speak about: each is one number per algorithm, experiment and seed."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from fedatlas.claims.evidence import RoundMissingError, curve
from fedatlas.claims.words import hyperparameter_name, metric_name, number
from fedatlas.config import Strict
from fedatlas.experiments.results import Run
from fedatlas.experiments.spec import Split

Round = Annotated[int, Field(ge=0)]


class Metric(Strict):
    """A metric of the selected configuration; NaN once that configuration has diverged."""

    metric: str
    split: Split

    @property
    def name(self) -> str:
        return metric_name(self.metric, self.split)


class Value(Metric):
    """The metric at a round (`last`: the last one evaluated; `mean`: averaged over all evaluated rounds)."""

    kind: Literal["value"]
    at: Round | Literal["last", "mean"]

    def measure(self, run: Run) -> float:
        values = curve(run, self.metric, self.split)
        if self.at == "mean":
            return float(values.mean(skipna=False))
        return _at(values, self.at, run)

    def describe(self) -> str:
        when = {"last": "at the last round", "mean": "averaged over the rounds"}.get(self.at, f"at round {self.at}")
        return f"{self.name} {when}"

    def format(self, value: float) -> str:
        return "diverged" if math.isnan(value) else number(value)


class RoundsTo(Metric):
    """The first evaluated round at which the metric is at least (`rising`) or at most `reach`; inf if there is none."""

    kind: Literal["rounds_to"]
    reach: float
    rising: bool

    def measure(self, run: Run) -> float:
        values = curve(run, self.metric, self.split)
        reached = values >= self.reach if self.rising else values <= self.reach
        return float(values.index[reached.to_numpy()].min()) if reached.any() else math.inf

    def describe(self) -> str:
        return f"rounds until {self.name} {'≥' if self.rising else '≤'} {number(self.reach)}"

    def format(self, value: float) -> str:
        return "never" if math.isinf(value) else number(value)


class Trend(Metric):
    """By how much the metric changes from round `start` to round `end`."""

    kind: Literal["trend"]
    start: Round
    end: Round | Literal["last"]

    def measure(self, run: Run) -> float:
        values = curve(run, self.metric, self.split)
        return _at(values, self.end, run) - _at(values, self.start, run)

    def describe(self) -> str:
        end = "the last round" if self.end == "last" else f"round {self.end}"
        return f"change of {self.name} from round {self.start} to {end}"

    def format(self, value: float) -> str:
        return "diverged" if math.isnan(value) else f"{value:+.3g}"


class Product(Strict):
    """The product of hyper-parameters of the selected configuration."""

    kind: Literal["product"]
    of: Annotated[tuple[str, ...], Field(min_length=1)]

    def measure(self, run: Run) -> float:
        chosen = run.manifest["configurations"][run.manifest["selected"]["configuration"]]
        return float(np.prod([chosen[name] for name in self.of]))

    def describe(self) -> str:
        return f"selected {' × '.join(map(hyperparameter_name, self.of))}"

    def format(self, value: float) -> str:
        return number(value)


Quantity = Annotated[Value | RoundsTo | Trend | Product, Field(discriminator="kind")]


def _at(values, when: int | str, run: Run) -> float:
    """Raises RoundMissingError if the metric was not evaluated at that round."""
    if when == "last":
        return float(values.iloc[-1])
    if when not in values.index:
        raise RoundMissingError(
            f"{run.folder} holds no evaluation at round {when}; its last one is {values.index[-1]}."
        )
    return float(values.loc[when])
