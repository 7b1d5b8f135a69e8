"""From a claim and the metrics tables to a verdict."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedatlas.claims.checks import Check
from fedatlas.claims.conditions import Condition, Interval
from fedatlas.claims.quantities import RoundMissingError
from fedatlas.claims.references import References
from fedatlas.claims.schema import Claim
from fedatlas.claims.status import Status
from fedatlas.data.kinds import DataKind
from fedatlas.errors import AtlasError
from fedatlas.experiments.scales import Scale
from fedatlas.files import write_text
from fedatlas.formatting import listed
from fedatlas.results.collection import Results

HERE, PUBLISHED = "this machine", "published"
_WORST_FIRST = ("not met", "undecided", "met")


@dataclass(frozen=True)
class Verdict:
    """What was found about a claim.

    Attributes:
        figure: the figure that its experiment makes.
        expected: what the claim expects, in words and numbers.
        measured: what was measured, every seed's number.
        interval: of the condition that decides; None for one seed or numbers that are not finite.
        data: kind of the data, the weakest of all experiments involved.
        details: why the status is what it is, and every condition with its numbers.
    """

    claim: Claim
    figure: str
    expected: str
    measured: str
    status: Status
    interval: Interval | None
    scale: Scale
    data: DataKind | None
    details: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        claim = self.claim
        return {
            "paper": claim.paper,
            "id": claim.id,
            "source": claim.source,
            "statement": claim.statement,
            "expected": self.expected,
            "measured": self.measured,
            "status": self.status,
            "interval": None if self.interval is None else self.interval._asdict(),
            "scale": self.scale,
            "data": self.data,
            "experiment": f"{claim.paper}/{claim.experiment}",
            "figure": self.figure,
            "details": self.details | {"quote": claim.quote, "threshold_from": claim.threshold_from},
        }


def check_claim(claim: Claim, results: Results) -> Verdict:
    """Checks one claim.

    Raises:
        AtlasError: if the claim names an unknown experiment, algorithm or metric.
    """
    needed = claim.experiments
    _check_known(claim, needed, results)
    figure = results.known[f"{claim.paper}/{claim.experiment}"].figure
    left_out = sorted(needed - set(results.experiments))
    if left_out:
        why = _left_out(left_out, results)
        return Verdict(claim, figure, "", "", Status.NOT_RUN, None, results.scale, None, {"why": why})
    data = min((results[key].data_kind for key in needed), key=lambda kind: kind.strength)
    small = results.scale.size < claim.needs_scale.size
    references = References(claim, results)
    try:
        expected = claim.check.expectation(references)
        conditions = claim.check.conditions(references)
    except RoundMissingError:
        if not small:
            raise
        conditions = []
    except AtlasError as error:
        raise AtlasError(f"claim {claim.paper}/{claim.id}: {error}") from error
    measured = "; ".join(dict.fromkeys(part for condition in conditions for part in condition.shown))
    details = {"conditions": [_condition_json(condition) for condition in conditions]}
    if small:
        details["why"] = f"needs {claim.needs_scale} scale; {results.scale} scale does not decide it"
        return Verdict(claim, figure, expected, measured, Status.NOT_RUN, None, results.scale, data, details)
    deciding = min(conditions, key=lambda c: (_WORST_FIRST.index(c.outcome), c.slack))
    details |= {"decided_by": deciding.label, "why": _why(deciding)}
    status = _status(claim.check, conditions)
    return Verdict(claim, figure, expected, measured, status, deciding.interval, results.scale, data, details)


def _left_out(keys: Sequence[str], results: Results) -> str:
    elsewhere = [key for key in keys if not results.known[key].runs_here]
    if elsewhere:
        scales = listed(dict.fromkeys(scale for key in elsewhere for scale in results.known[key].scales))
        return f"run at {scales} scale only: {', '.join(elsewhere)}"
    return f"not among the experiments of this run: {', '.join(keys)}"


def _check_known(claim: Claim, needed: Iterable[str], results: Results) -> None:
    for key in sorted(needed):
        if key not in results.known:
            raise AtlasError(
                f"claim {claim.paper}/{claim.id}: unknown experiment '{key}'; there are: {', '.join(results.known)}."
            )


def _status(check: Check, conditions: list[Condition]) -> Status:
    outcomes = {condition.outcome for condition in conditions}
    if outcomes == {"met"}:
        return Status.REPRODUCED
    if "not met" not in outcomes or not check.can_fail:
        return Status.INCONCLUSIVE
    guarded = [condition.outcome for condition in conditions if condition.sense == check.better_beyond]
    if guarded and set(guarded) == {"met"}:
        return Status.BETTER
    return Status.FAILED


def _why(deciding: Condition) -> str:
    n, meeting = len(deciding.values), deciding.meeting
    if n == 1:
        return "one seed, no interval"
    if deciding.outcome == "undecided":
        reach = ", but their interval reaches across the threshold" if meeting in (0, n) else ""
        return f"{meeting} of {n} seeds meet it{reach}"
    if deciding.interval is None:
        return f"{n} seeds agree, no interval as not every number is finite"
    return f"{n} seeds agree"


def _condition_json(condition: Condition) -> dict[str, Any]:
    return {
        "label": condition.label,
        "values": {str(seed): _finite(value) for seed, value in condition.values.items()},
        "sense": condition.sense,
        "threshold": condition.threshold,
        "interval": None if condition.interval is None else condition.interval._asdict(),
        "outcome": condition.outcome,
    }


def _finite(value: float) -> float | str:
    """JSON has no infinity and no NaN."""
    return float(value) if math.isfinite(value) else {math.inf: "inf", -math.inf: "-inf"}.get(value, "nan")


def evaluate_all(
    claims: Iterable[Claim], results: Results, out: Path, published: Iterable[dict[str, Any]] = ()
) -> list[Verdict]:
    """Checks every claim and writes the verdicts to `out` as a JSON list, those that are published behind them.

    `origin` says which they are: HERE or PUBLISHED.
    """
    verdicts = [check_claim(claim, results) for claim in claims]
    entries = [{"origin": HERE, **verdict.as_json()} for verdict in verdicts]
    entries += [{"origin": PUBLISHED, **verdict} for verdict in published]
    write_text(out, json.dumps(entries, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    return verdicts
