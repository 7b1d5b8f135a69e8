"""What was found about a claim, and how it is written down."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fedatlas.claims.checks import Check
from fedatlas.claims.conditions import Condition, Interval
from fedatlas.claims.readings import Subject
from fedatlas.claims.schema import Claim
from fedatlas.claims.status import Status
from fedatlas.data.kinds import DataKind
from fedatlas.experiments.scales import Scale


@dataclass(frozen=True)
class Verdict:
    """What was found about a claim, under one reading.

    Attributes:
        figure: the figure that its experiment makes.
        expected: what the claim expects, in words and numbers.
        measured: what was measured, every seed's number.
        interval: of the condition that decides; None for one seed whose test examples' error is not known.
        seeds: independent seeds behind the condition that has fewest.
        data: kind of the data, the weakest of all experiments involved.
        details: why the status is what it is, selected values on the edge of a grid, and every condition. What the
            check compares and the claim's own words join them when it is written.
    """

    subject: Subject
    figure: str
    scale: Scale
    status: Status
    details: dict[str, Any]
    expected: str = ""
    measured: str = ""
    interval: Interval | None = None
    seeds: int = 0
    data: DataKind | None = None

    @property
    def claim(self) -> Claim:
        return self.subject.claim

    def as_json(self) -> dict[str, Any]:
        claim, reading = self.claim, self.subject.reading
        notes = {"quote": claim.quote, "threshold_from": claim.threshold_from, "by_construction": claim.by_construction}
        return {
            "paper": claim.paper,
            "id": self.subject.id,
            "source": claim.source,
            "statement": claim.statement,
            "expected": self.expected,
            "measured": self.measured,
            "status": self.status,
            "about": "a setting" if claim.check.about_settings else "a result",
            "interval": _interval_json(self.interval),
            "seeds": self.seeds,
            "scale": self.scale,
            "data": self.data,
            "experiment": self.subject.key,
            "reading": None if reading is None else {**reading.model_dump(), "claim": claim.id},
            "figure": self.figure,
            "details": self.details | {"check": check_json(claim.check)} | notes,
        }


def _interval_json(interval: Interval | None) -> dict[str, Any] | None:
    """None for one that ends nowhere."""
    return interval._asdict() if interval and all(map(math.isfinite, interval)) else None


def check_json(check: Check) -> dict[str, Any]:
    """What a check compares, as a file would say it; not what a miss on the better side is called."""
    return check.model_dump(mode="json", exclude={"better"}, exclude_defaults=True)


def condition_json(condition: Condition) -> dict[str, Any]:
    return {
        "label": condition.label,
        "values": {str(seed): _finite(value) for seed, value in condition.values.items()},
        "sense": condition.sense,
        "threshold": condition.threshold,
        "independent": sorted(condition.independent),
        "rounding": condition.rounding,
        "equal_within": condition.equal_within,
        **({"sampling": condition.sampling} if condition.sampling else {}),
        "positive": condition.positive,
        "comparable": condition.comparable,
        "saturated": condition.saturated,
        "interval": _interval_json(condition.interval),
        "outcome": condition.outcome,
    }


def _finite(value: float) -> float | str:
    """JSON has no infinity and no NaN."""
    return float(value) if math.isfinite(value) else {math.inf: "inf", -math.inf: "-inf"}.get(value, "nan")


def read_condition(kept: Mapping[str, Any], shown: str) -> Condition:
    """A condition as `condition_json` wrote it, its numbers in words beside it."""
    return Condition(
        label=kept["label"],
        values={int(seed): float(value) for seed, value in kept["values"].items()},
        sense=kept["sense"],
        threshold=kept["threshold"],
        shown=(shown,),
        independent=frozenset(kept["independent"]),
        rounding=kept["rounding"],
        equal_within=kept["equal_within"],
        sampling=kept.get("sampling", 0.0),
        positive=kept["positive"],
        comparable=kept["comparable"],
        saturated=kept["saturated"],
    )
