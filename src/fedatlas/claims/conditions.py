"""One number per seed against one threshold, and what may be said of it.

The rules, which hold for every claim:

- Numbers of seeds that helped to select the configuration do not count where there are others.
- A condition is met if all seeds and both ends of their interval meet it, and not met if no seed does; else it is
  undecided. Of ten seeds or more, whose spread is known well enough, the interval alone decides: the more seeds, the
  likelier it is that one of them is on the other side by chance.
- Numbers that are equal within rounding are equal, in favour of nobody.
- The interval fits the number: what cannot be negative gets one of its logarithms, and where one is zero an interval
  that does not go below zero; with a number that is not finite it is one of the median, between order statistics.
- The examples that all seeds are tested on are a sample too: their error widens the interval, as if every side had been
  tested on examples of its own (an upper bound), and a miss that lies within it is undecided.
- Differences whose interval lies inside a margin that the claim has named are no difference.
- A competitor that has diverged is not comparable; two that never reach a target decide nothing.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from fedatlas.lazy import stats

Sense = Literal["at_least", "at_most", "above", "below"]
Outcome = Literal["met", "not met", "undecided", "no difference", "not comparable", "saturated"]

CONFIDENCE = 0.95
ENOUGH = 3  # independent seeds that decide
MANY = 10  # independent seeds whose interval decides without every one of them
STRICT = ("above", "below")

_MEETS: dict[str, Callable[[float, float], bool]] = {
    "at_least": operator.ge,
    "at_most": operator.le,
    "above": operator.gt,
    "below": operator.lt,
}


@functools.cache
def _normal() -> float:
    """How many standard errors lie to either end."""
    return float(stats.norm.ppf(0.5 + CONFIDENCE / 2))


@functools.cache
def _student(n: int) -> float:
    """The same of the mean over n values, whose spread is estimated from them."""
    return float(stats.t.ppf(0.5 + CONFIDENCE / 2, n - 1))


@functools.cache
def _left_out(n: int) -> int:
    """How many of the n values lie beyond either end of the median's interval, whatever their distribution."""
    return max(int(stats.binom.ppf((1 - CONFIDENCE) / 2, n, 0.5)) - 1, 0)


class Interval(NamedTuple):
    """A 95 % interval of the mean over n seeds, or of their median; the whole range where n is too small for one."""

    low: float
    high: float
    n: int


def interval(values: Mapping[int, float], positive: bool = False, sampling: float = 0.0) -> Interval | None:
    """The t-interval of the mean over seeds, of logarithms if all are `positive`; the median's if a number is infinite.

    Args:
        sampling: standard error of every value from examples that all seeds share.

    Returns:
        None if a number is missing (NaN), or for one seed without a sampling error.
    """
    numbers = np.array(list(values.values()), dtype=float)
    n = len(numbers)
    if (n < 2 and not sampling) or np.isnan(numbers).any():
        return None
    logarithms = positive and (numbers > 0).all()
    if not np.isfinite(numbers).all():
        ordered, beyond = np.sort(numbers), _left_out(n)
        return Interval(float(ordered[beyond]), float(ordered[-1 - beyond]), n)
    scaled = np.log(numbers) if logarithms else numbers
    shared = sampling / numbers.mean() if logarithms else sampling
    spread = _student(n) * scaled.std(ddof=1) / math.sqrt(n) if n > 1 else 0.0
    half = math.hypot(spread, _normal() * shared)
    ends = scaled.mean() - half, scaled.mean() + half
    low, high = (float(np.exp(end) if logarithms else end) for end in ends)
    return Interval(max(low, 0.0) if positive else low, high, n)


@dataclass(frozen=True)
class Condition:
    """`values` (by seed) of what `label` says must meet `sense` `threshold`.

    Attributes:
        values: NaN where neither side of a comparison has a number.
        shown: the numbers of the terms involved, in words.
        independent: the seeds that selected none of the configurations involved.
        rounding: numbers closer to the threshold than this are on it.
        equal_within: differences up to this are no difference.
        sampling: standard error of the values from examples that all seeds share.
        positive: the number cannot be negative.
        comparable: no competitor has diverged.
        saturated: all sides are so good that their differences say nothing.
    """

    label: str
    values: Mapping[int, float]
    sense: Sense
    threshold: float
    shown: tuple[str, ...]
    independent: frozenset[int] = frozenset()
    rounding: float = 0.0
    equal_within: float = 0.0
    sampling: float = 0.0
    positive: bool = False
    comparable: bool = True
    saturated: bool = False

    @property
    def counted(self) -> Mapping[int, float]:
        """The numbers that count: of independent seeds, or of all if there are none."""
        return {seed: value for seed, value in self.values.items() if seed in self.independent} or self.values

    @property
    def seeds(self) -> int:
        """How many independent seeds there are."""
        return len(self.independent & set(self.values))

    @functools.cached_property
    def interval(self) -> Interval | None:
        return interval(self.counted, self.positive, self.sampling)

    @property
    def meeting(self) -> int:
        """How many of the seeds that count meet it."""
        return sum(map(self._meets, self.counted.values()))

    @property
    def outcome(self) -> Outcome:
        if self.saturated or not self.comparable:
            return "saturated" if self.saturated else "not comparable"
        values = list(self.counted.values())
        if any(map(math.isnan, values)):
            return "undecided"
        deciding = self._ends if self.seeds >= MANY else (*values, *self._ends)
        if self._is_no_difference(deciding):
            return "no difference"
        if not any(map(self._meets, deciding)) or (self.seeds < MANY and self.meeting == 0):
            return "undecided" if self.sampling and abs(self.slack) <= _normal() * self.sampling else "not met"
        return "met" if all(map(self._meets, deciding)) else "undecided"

    @property
    def slack(self) -> float:
        """How far the mean is on the right side of the threshold (NaN counts as infinitely far on the wrong one)."""
        with np.errstate(invalid="ignore"):
            distance = float(np.mean(list(self.counted.values()))) - self.threshold
        distance = distance if self.sense in ("at_least", "above") else -distance
        return -math.inf if math.isnan(distance) else distance

    @property
    def _ends(self) -> tuple[float, ...]:
        return self.interval[:2] if self.interval else ()

    def _meets(self, value: float) -> bool:
        if abs(value - self.threshold) <= self.rounding:
            return self.sense not in STRICT
        return _MEETS[self.sense](value, self.threshold)

    def _is_no_difference(self, deciding: Iterable[float]) -> bool:
        """A strict comparison of which everything that decides lies within what counts as none."""
        none = max(self.equal_within, self.rounding)
        return self.sense in STRICT and none > 0 and all(abs(value) <= none for value in deciding)
