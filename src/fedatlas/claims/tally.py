"""What many verdicts say together: by sentence of the paper, under all readings, and what chance alone would pass.

Verdicts are the mappings of claims.json. Counts are of results under the main reading; checks of selected settings,
what holds by construction, what was run on stand-in data, and other readings stand apart.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from fedatlas.claims.conditions import CONFIDENCE, ENOUGH, STRICT
from fedatlas.claims.status import Status
from fedatlas.data.kinds import DataKind

Verdict = Mapping[str, Any]
MAIN = "main reading"
HOLDS = (Status.REPRODUCED, Status.BETTER)


class SentenceOutcome(StrEnum):
    """What became of a sentence of a paper, of which several checks may be made."""

    HOLDS = "hold"
    IN_PART = "hold in part"
    FAILS = "do not hold"
    OPEN = "are open"

    def counted(self, count: int) -> str:
        """'3 hold in part', '1 does not hold'."""
        return f"{count} {self.value if count != 1 else _OF_ONE[self]}"


_OF_ONE = {
    SentenceOutcome.HOLDS: "holds",
    SentenceOutcome.IN_PART: "holds in part",
    SentenceOutcome.FAILS: "does not hold",
    SentenceOutcome.OPEN: "is open",
}


class Chance(NamedTuple):
    """How many comparisons there are, and how many of them would pass if no method differed from any other."""

    comparisons: int
    expected: float


class UnderReadings(NamedTuple):
    """The status of one claim under its main reading and the others, by how they read, and the readings not yet run."""

    claim: str
    statuses: Mapping[str, Status]
    not_run: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """'holds under all', 'depends on start: zero', 'holds under none' and the like.

        A reading that decided nothing is no reading that the claim depends on.
        """
        if set(self.statuses.values()) == {Status.BY_CONSTRUCTION}:
            return "holds by construction"
        held = {how for how, status in self.statuses.items() if status in HOLDS}
        failed = {how for how, status in self.statuses.items() if status.decided} - held
        if held and failed:
            other = held if MAIN in failed else failed if MAIN in held else held | failed
            return f"depends on {', '.join(how for how in self.statuses if how in other)}"
        if held == set(self.statuses):
            return "holds under all that were run" if self.not_run else "holds under all"
        if failed == set(self.statuses):
            return "holds under none"
        return "holds where decided" if held else "fails where decided" if failed else "open"


def is_result(verdict: Verdict) -> bool:
    """Whether it is a result that could have come out otherwise, on data that is no stand-in."""
    by_construction = verdict["details"]["by_construction"] or verdict["status"] == Status.BY_CONSTRUCTION
    return verdict["about"] == "a result" and not by_construction and verdict["data"] != DataKind.STAND_IN


def is_counted(verdict: Verdict) -> bool:
    """Whether it is a result under the main reading."""
    return is_result(verdict) and not verdict["reading"]


def claim_of(verdict: Verdict) -> str:
    """The id of the claim that it is about, under whichever reading."""
    return verdict["reading"]["claim"] if verdict["reading"] else verdict["id"]


def sentences(verdicts: Iterable[Verdict]) -> Counter[SentenceOutcome]:
    """How many sentences of the papers hold; each counts once, however many checks it unfolds into."""
    by_quote: dict[tuple[str, str], set[Status]] = defaultdict(set)
    for verdict in filter(is_counted, verdicts):
        by_quote[verdict["paper"], verdict["details"]["quote"]].add(Status(verdict["status"]))
    return Counter(map(_of_sentence, by_quote.values()))


def _of_sentence(statuses: set[Status]) -> SentenceOutcome:
    """What its checks say together that could be judged: all must hold, or all must fail."""
    judged = statuses - {Status.NOT_RUN, Status.NOT_DECIDABLE}
    held, failed = judged & set(HOLDS), judged & {Status.FAILED, Status.NO_DIFFERENCE}
    if held:
        return SentenceOutcome.HOLDS if held == judged else SentenceOutcome.IN_PART
    return SentenceOutcome.FAILS if failed and failed == judged else SentenceOutcome.OPEN


def under_readings(
    verdicts: Iterable[Verdict], registered: Mapping[str, Iterable[str]] | None = None
) -> list[UnderReadings]:
    """The claims that were judged under more than the main reading, with the readings that were run.

    Args:
        registered: how every reading of a claim reads that there is a file of, by the claim's id.
    """
    found: dict[str, dict[str, Status]] = {}
    main: dict[str, Status] = {}
    for verdict in verdicts:
        reading, status = verdict["reading"], Status(verdict["status"])
        if status == Status.NOT_RUN:
            continue
        if reading:
            found.setdefault(reading["claim"], {})[reading["how"]] = status
        else:
            main[verdict["id"]] = status
    return [
        UnderReadings(
            claim,
            {MAIN: main[claim], **others},
            tuple(how for how in (registered or {}).get(claim, ()) if how not in others),
        )
        for claim, others in found.items()
        if claim in main
    ]


def by_chance(verdicts: Iterable[Verdict]) -> Chance:
    """Comparisons on enough seeds, each of which passes by chance as often as an interval lies on one side of zero.

    What cannot be decided, whatever the numbers say, is none, nor is a number that has to keep a bound.
    """
    compared = sum(
        any(one["sense"] in STRICT and len(one["independent"]) >= ENOUGH for one in verdict["details"]["conditions"])
        for verdict in filter(is_counted, verdicts)
        if verdict["details"].get("conditions")
        and verdict["status"] not in (Status.NOT_DECIDABLE, Status.NOT_RUN)
        and verdict["details"]["check"]["kind"] != "bound"
    )
    return Chance(compared, compared * (1 - CONFIDENCE) / 2)
