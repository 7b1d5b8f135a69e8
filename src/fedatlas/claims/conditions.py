"""One number per seed against one threshold."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy import stats

Sense = Literal["at_least", "at_most", "above", "below"]
Outcome = Literal["met", "not met", "undecided"]

_MEETS: dict[str, Callable[[float, float], bool]] = {
    "at_least": operator.ge,
    "at_most": operator.le,
    "above": operator.gt,
    "below": operator.lt,
}
CONFIDENCE = 0.95


class Interval(NamedTuple):
    """A 95 % t-interval of the mean over n seeds."""

    low: float
    high: float
    n: int


def interval(values: Mapping[int, float]) -> Interval | None:
    """The t-interval of the mean over seeds; None for one seed or a number that is not finite."""
    numbers = np.array(list(values.values()), dtype=float)
    n = len(numbers)
    if n < 2 or not np.isfinite(numbers).all():
        return None
    half = stats.t.ppf(0.5 + CONFIDENCE / 2, n - 1) * numbers.std(ddof=1) / math.sqrt(n)
    return Interval(float(numbers.mean() - half), float(numbers.mean() + half), n)


@dataclass(frozen=True)
class Condition:
    """`values` (by seed) of what `label` says must meet `sense` `threshold`.

    `shown` are the numbers of the terms involved, in words. A value that is NaN (diverged, or a comparison in which
    neither side has a number) does not meet anything.
    """

    label: str
    values: Mapping[int, float]
    sense: Sense
    threshold: float
    shown: tuple[str, ...]

    @property
    def interval(self) -> Interval | None:
        return interval(self.values)

    def _meets(self, value: float) -> bool:
        return _MEETS[self.sense](value, self.threshold)

    @property
    def meeting(self) -> int:
        """How many seeds meet it."""
        return sum(map(self._meets, self.values.values()))

    @property
    def outcome(self) -> Outcome:
        """met or not met if all seeds and their interval agree, undecided if they spread across the threshold."""
        votes = set(map(self._meets, self.values.values()))
        if self.interval is not None:
            votes |= set(map(self._meets, self.interval[:2]))
        if len(votes) > 1:
            return "undecided"
        return "met" if votes.pop() else "not met"

    @property
    def slack(self) -> float:
        """How far the mean is on the right side of the threshold (NaN counts as infinitely far on the wrong one)."""
        with np.errstate(invalid="ignore"):
            distance = float(np.mean(list(self.values.values()))) - self.threshold
        distance = distance if self.sense in ("at_least", "above") else -distance
        return -math.inf if math.isnan(distance) else distance
