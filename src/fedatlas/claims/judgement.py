"""From conditions to a status, by the rules of `conditions`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fedatlas.claims.conditions import MANY, Condition, Interval
from fedatlas.claims.schema import Claim
from fedatlas.claims.status import Status

_WORST_FIRST = ("not met", "saturated", "not comparable", "undecided", "no difference", "met")
_SPECIAL = {
    "saturated": "all methods are so good that nothing tells them apart",
    "not comparable": "a method has no number: it has diverged, or nothing can be measured",
    "no difference": "the numbers are equal, but for what counts as no difference",
}
_UNDECIDED = {
    "not met": Status.INCONCLUSIVE,
    "saturated": Status.NOT_DECIDABLE,
    "not comparable": Status.NOT_COMPARABLE,
    "undecided": Status.INCONCLUSIVE,
    "no difference": Status.NO_DIFFERENCE,
}


class Judgement(NamedTuple):
    """The status of a claim, the independent seeds behind the condition that has fewest, and the one that decides."""

    status: Status
    seeds: int
    decided_by: str
    why: str
    interval: Interval | None


def judge(claim: Claim, conditions: Sequence[Condition], reads_otherwise: bool = False) -> Judgement:
    """What the conditions say of the claim.

    Args:
        reads_otherwise: it is judged under another reading than the main one, on which the paper's own number is none
            that could be bettered.
    """
    deciding = min(conditions, key=lambda c: (_WORST_FIRST.index(c.outcome), c.slack))
    seeds = min(condition.seeds for condition in conditions)
    better = not reads_otherwise and _is_better(claim, conditions)
    status = _status(claim, deciding.outcome, seeds >= claim.needs_seeds, better)
    return Judgement(status, seeds, deciding.label, _why(deciding, status, claim.needs_seeds), deciding.interval)


def _status(claim: Claim, outcome: str, enough: bool, better: bool) -> Status:
    if outcome == "met" and claim.by_construction:
        return Status.BY_CONSTRUCTION
    if outcome == "met":
        return Status.REPRODUCED if enough else Status.INDICATED
    if outcome == "not met" and claim.check.can_fail:
        failed = Status.BETTER if better else Status.FAILED
        return failed if enough else Status.INDICATED_AGAINST
    return _UNDECIDED[outcome] if outcome != "no difference" or enough else Status.INCONCLUSIVE


def _is_better(claim: Claim, conditions: Iterable[Condition]) -> bool:
    """Whether nothing but the bound on the better side is missed."""
    guarded = [condition.outcome for condition in conditions if condition.sense == claim.check.better_beyond]
    return bool(guarded) and set(guarded) == {"met"}


def _why(deciding: Condition, status: Status, needed: int) -> str:
    if deciding.outcome in _SPECIAL:
        return _SPECIAL[deciding.outcome]
    n, meeting, seeds = len(deciding.counted), deciding.meeting, deciding.seeds
    if lacking := sum(map(math.isnan, deciding.counted.values())):
        where = f"on {lacking} of {n} seeds " if lacking < n else ""
        return f"{where}neither side has a number: no method reached the target"
    enough = seeds >= needed or status is Status.BY_CONSTRUCTION  # which no seed decides
    few = "" if enough else f"; a verdict needs {needed} independent ones and has {seeds or 'none'}"
    if deciding.outcome == "undecided":
        reach = ", but their interval reaches across the threshold" if meeting in (0, n) or seeds >= MANY else ""
        return f"{meeting} of {n} seeds meet it{reach}{few}"
    met = deciding.outcome == "met"
    if meeting not in (0, n):
        return f"{meeting} of {n} seeds meet it, {'and so does' if met else 'but not'} their interval"
    if status is Status.BETTER:
        return f"all {n} seeds lie beyond it, on the better side"
    if n == 1:
        alone = "" if deciding.interval else ", without an interval"  # that of its test examples alone
        return f"one seed {'meets' if met else 'does not meet'} it{alone}{few}"
    return f"{f'all {n} seeds meet' if met else f'none of {n} seeds meets'} it{few}"
