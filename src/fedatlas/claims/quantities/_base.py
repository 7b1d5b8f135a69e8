"""What every number that a claim speaks about can do: one number per algorithm, experiment and seed."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from fedatlas.config import Strict, Whole
from fedatlas.errors import AtlasError
from fedatlas.formatting import number
from fedatlas.results.metric import Metric
from fedatlas.results.run import Run

if TYPE_CHECKING:
    import pandas as pd

Round = Whole


class RoundMissingError(AtlasError):
    """A claim asks for a round at which the run was not evaluated."""


class SweepNotHeldError(AtlasError):
    """A claim asks for all configurations of a sweep, of which the selected one alone was kept."""


class Read(NamedTuple):
    """A metric that a quantity reads, and which of its keys says so."""

    split: str
    metric: str
    key: str


class Quantity(Strict):
    """One kind of number. Its `kind` is the name of its file.

    Class attributes:
        sweep_only: it is a number of the whole sweep, which tuned seeds do not have.
        positive: it is never negative.
        about_settings: it says what was selected, not what came of it.
        of_diverged: the number of a run that has diverged; NaN if it has none.
    """

    sweep_only: ClassVar[bool] = False
    positive: ClassVar[bool] = False
    about_settings: ClassVar[bool] = False
    of_diverged: ClassVar[float] = math.nan

    @property
    def reads(self) -> tuple[Read, ...]:
        """The metrics that it reads."""
        return ()

    @property
    def rounds(self) -> dict[str, int]:
        """By its keys, the rounds at which it reads them."""
        found = {key: getattr(self, key, None) for key in ("at", "start", "end")}
        return {key: value for key, value in found.items() if isinstance(value, int)}

    @property
    def settings(self) -> tuple[str, ...]:
        """The hyper-parameters that it speaks about."""
        return ()

    @property
    def reads_between(self) -> bool:
        """Whether it needs every evaluated round, not single ones."""
        return False

    @abstractmethod
    def measure(self, run: Run) -> float:
        """The number of a run.

        Raises:
            AtlasError: if the run did not record what it needs; RoundMissingError for a round that was not evaluated.
        """

    @abstractmethod
    def describe(self) -> str:
        """What it is, in words."""

    def format(self, value: float) -> str:
        """The number as pages write it."""
        return number(value)

    def sampling_error(self, run: Run, value: float) -> float:
        """The standard error of the number from how few examples it was measured on; 0 where that is not known."""
        return 0.0

    def saturated(self, values: Iterable[float]) -> bool:
        """Whether such numbers are all so good that what they differ by says nothing."""
        return False


class OfMetric(Metric, Quantity):
    """A number that is read from a metric's curve."""

    @property
    def reads(self) -> tuple[Read, ...]:
        return (Read(self.split, self.metric, "metric"),)


class OfSweep(OfMetric):
    """A number of all configurations of a sweep, not of the selected one alone."""

    sweep_only: ClassVar[bool] = True

    @staticmethod
    def check_all_held(configurations: Collection[int], run: Run) -> None:
        """Raises SweepNotHeldError if these are not all of the run's; published runs keep the selected one alone."""
        if len(configurations) != len(run.grid):
            kept = f"{len(configurations)} of {len(run.grid)}"
            raise SweepNotHeldError(f"{run.folder} keeps the curves of {kept} configurations alone: run it again.")


def round_name(when: int | str) -> str:
    """'the last round', 'round 100'."""
    return "the last round" if when == "last" else f"round {when}"


def entry(values: pd.Series | pd.DataFrame, when: int | str, run: Run) -> Any:
    """The entry at that round. Raises RoundMissingError if the metric was not evaluated there."""
    if when == "last":
        return values.iloc[-1]
    if when not in values.index:
        raise RoundMissingError(
            f"{run.folder} holds no evaluation at round {when}; its last one is {values.index[-1]}."
        )
    return values.loc[when]
