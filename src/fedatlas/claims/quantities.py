"""The numbers that claims speak about: each is one number per algorithm, experiment and seed."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from fedatlas.config import Strict
from fedatlas.errors import AtlasError
from fedatlas.experiments.sections import Split
from fedatlas.formatting import hyperparameter_name, metric_name, number
from fedatlas.results.metric import Metric
from fedatlas.results.run import Run

Round = Annotated[int, Field(ge=0)]


class RoundMissingError(AtlasError):
    """A claim asks for a round at which the run was not evaluated."""


class OfMetric(Metric):
    """A number that is read from a metric's curve.

    Class attributes:
        sweep_only: it is a number of the whole sweep, which tuned seeds do not have.
    """

    sweep_only: ClassVar[bool] = False


class Value(OfMetric):
    """The metric at a round (`last`: the last one evaluated; `mean`: averaged over all evaluated rounds)."""

    kind: Literal["value"]
    at: Round | Literal["last", "mean"]

    def measure(self, run: Run) -> float:
        values = run.values(self.metric, self.split)
        if self.at == "mean":
            return float(values.mean(skipna=False))
        return _at(values, self.at, run)

    def describe(self) -> str:
        when = {"last": "at the last round", "mean": "averaged over the rounds"}.get(self.at, f"at round {self.at}")
        return f"{self.name} {when}"

    def format(self, value: float) -> str:
        return "diverged" if math.isnan(value) else number(value)


class Contrast(OfMetric):
    """By how much the metric on its split exceeds that on another one at a round, such as training over test.

    Attributes:
        minus: the other split.
    """

    kind: Literal["contrast"]
    minus: Split
    at: Round | Literal["last"]

    def measure(self, run: Run) -> float:
        first, second = (run.values(self.metric, split) for split in (self.split, self.minus))
        return _at(first, self.at, run) - _at(second, self.at, run)

    def describe(self) -> str:
        return f"{self.name} less {metric_name(self.metric, self.minus)} at {round_name(self.at)}"

    def format(self, value: float) -> str:
        return "diverged" if math.isnan(value) else f"{value:+.3g}"


class RoundsTo(OfMetric):
    """The first evaluated round at which the metric is at least (`rising`) or at most `reach`; inf if there is none.

    Attributes:
        against: a cost (split `cost`) whose total up to that round is given instead of the round's number.
    """

    kind: Literal["rounds_to"]
    reach: float
    rising: bool
    against: str | None = None

    def measure(self, run: Run) -> float:
        values = run.values(self.metric, self.split)
        reached = values >= self.reach if self.rising else values <= self.reach
        if not reached.any():
            return math.inf
        first = values.index[reached.to_numpy()].min()
        return float(first if self.against is None else run.values(self.against, "cost")[first])

    def describe(self) -> str:
        what = "rounds" if self.against is None else metric_name(self.against)
        return f"{what} until {self.name} {'≥' if self.rising else '≤'} {number(self.reach)}"

    def format(self, value: float) -> str:
        return "never" if math.isinf(value) else number(value)


class Trend(OfMetric):
    """By how much the metric changes from round `start` to round `end`."""

    kind: Literal["trend"]
    start: Round
    end: Round | Literal["last"]

    def measure(self, run: Run) -> float:
        values = run.values(self.metric, self.split)
        return _at(values, self.end, run) - _at(values, self.start, run)

    def describe(self) -> str:
        return f"change of {self.name} from round {self.start} to {round_name(self.end)}"

    def format(self, value: float) -> str:
        return "diverged" if math.isnan(value) else f"{value:+.3g}"


class Falling(OfMetric):
    """What is said of the logarithm of a metric that falls towards zero.

    Attributes:
        floor: below it the metric is rounding, so that nothing below it counts.
    """

    start: Round
    end: Round | Literal["last"]
    floor: Annotated[float, Field(gt=0)]

    def logarithms(self, run: Run) -> pd.Series:
        """log10 of the metric from round `start` to `end`, nowhere below the floor's."""
        values = run.values(self.metric, self.split)
        _at(values, self.start, run), _at(values, self.end, run)
        return np.log10(values.loc[self.start : None if self.end == "last" else self.end].clip(lower=self.floor))

    def format(self, value: float) -> str:
        return "diverged" if math.isnan(value) else number(value)


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


class Rate(Falling):
    """By how many powers of ten the metric falls per round, the slope of a least-squares line.

    The line is fitted to the evaluations from round `start` to round `end`, but to none once the floor is reached; NaN
    with fewer than three of them.
    """

    kind: Literal["rate"]

    def measure(self, run: Run) -> float:
        values = self.logarithms(run)
        fitted = values[~(values <= math.log10(self.floor)).cummax()]
        return -float(np.polyfit(fitted.index, fitted, 1)[0]) if len(fitted) > 2 and fitted.notna().all() else math.nan

    def describe(self) -> str:
        return f"fall of {self.name} in powers of ten per round, from round {self.start} to {round_name(self.end)}"

    def format(self, value: float) -> str:
        return "no line" if math.isnan(value) else number(value)


class Roughness(Falling):
    """By how many powers of ten the metric jumps about its trend from one evaluation to the next.

    The standard deviation of the differences of its logarithm, which is 0 for a curve that falls at a constant rate.
    """

    kind: Literal["roughness"]

    def measure(self, run: Run) -> float:
        return float(self.logarithms(run).diff().iloc[1:].std(skipna=False))

    def describe(self) -> str:
        window = f"from round {self.start} to {round_name(self.end)}"
        return f"jumps of {self.name} in powers of ten between evaluations, {window}"


class Product(Strict):
    """The product of hyper-parameters of the selected configuration."""

    sweep_only: ClassVar[bool] = False

    kind: Literal["product"]
    of: Annotated[tuple[str, ...], Field(min_length=1)]

    def measure(self, run: Run) -> float:
        return float(np.prod([run.configuration[name] for name in self.of]))

    def describe(self) -> str:
        return f"selected {' × '.join(map(hyperparameter_name, self.of))}"

    def format(self, value: float) -> str:
        return number(value)


def round_name(when: int | str) -> str:
    return "the last round" if when == "last" else f"round {when}"


def _at(values: pd.Series, when: int | str, run: Run) -> float:
    return float(entry(values, when, run))


def entry(values: pd.Series | pd.DataFrame, when: int | str, run: Run) -> Any:
    """The entry at that round. Raises RoundMissingError if the metric was not evaluated there."""
    if when == "last":
        return values.iloc[-1]
    if when not in values.index:
        raise RoundMissingError(
            f"{run.folder} holds no evaluation at round {when}; its last one is {values.index[-1]}."
        )
    return values.loc[when]
