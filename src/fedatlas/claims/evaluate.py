"""From a claim and the metrics tables to a verdict."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fedatlas.claims.checks import Check
from fedatlas.claims.conditions import Condition
from fedatlas.claims.judgement import judge
from fedatlas.claims.quantities import RoundMissingError
from fedatlas.claims.readings import Subject, subjects
from fedatlas.claims.references import References
from fedatlas.claims.schema import Claim
from fedatlas.claims.status import Status
from fedatlas.claims.verdict import Verdict, condition_json
from fedatlas.data.kinds import DataKind
from fedatlas.errors import AtlasError
from fedatlas.experiments.scales import Scale
from fedatlas.files import write_text
from fedatlas.formatting import listed
from fedatlas.names import instead
from fedatlas.results.collection import ExperimentResults, Results

HERE, PUBLISHED = "this machine", "published"


def check_claim(subject: Subject, results: Results) -> Verdict:
    """Checks one claim under one reading, at the smallest scale of the experiments that it compares.

    Raises:
        AtlasError: if the claim names an unknown experiment, algorithm or metric.
    """
    claim, needed = subject.claim, subject.experiments
    _check_known(claim, needed, results)
    figure = results.known[subject.key].figure
    if left_out := sorted(needed - set(results.experiments)):
        return Verdict(subject, figure, results.scale, Status.NOT_RUN, {"why": _left_out(left_out, results)})
    results = replace(results, scale=min((results[key].scale for key in needed), key=lambda scale: scale.size))
    references, place = References(subject, results), (subject, figure, results.scale)
    if absent := [term for term in claim.check.involved if references.knows(term) and not references.holds(term)]:
        return Verdict(*place, Status.NOT_RUN, {"why": f"not run: {', '.join(absent)}"})
    try:
        conditions = conditions_of(references)
    except AtlasError as error:
        raise AtlasError(f"claim {claim.paper}/{claim.id}: {error}") from error
    return conclude(place, conditions, references, claim.check.expectation(references))


def conditions_of(references: References) -> Sequence[Condition]:
    """The conditions that decide a claim; none if a smaller scale than it needs does not reach one of its rounds."""
    claim = references.claim
    try:
        return claim.check.conditions(references)
    except RoundMissingError:
        if references.results.scale.size >= claim.needs_scale.size:
            raise
        return []


def conclude(
    place: tuple[Subject, str, Scale], conditions: Sequence[Condition], references: References, expected: str
) -> Verdict:
    """The verdict that follows from the conditions, if size and data are such that they can decide.

    Args:
        place: subject, figure and scale.
    """
    claim, (_, _, scale) = references.claim, place
    involved = [references.results[key] for key in references.subject.experiments]
    details: dict[str, Any] = {"conditions": [condition_json(condition) for condition in conditions]}
    verdict = functools.partial(
        Verdict,
        *place,
        expected=expected,
        measured="; ".join(dict.fromkeys(part for condition in conditions for part in condition.shown)),
        data=min((one.data_kind for one in involved), key=lambda kind: kind.strength),
    )
    if scale.size < claim.needs_scale.size:
        why = f"needs {claim.needs_scale} scale; {scale} scale does not decide it"
        return verdict(Status.NOT_RUN, details | {"why": why})
    status, seeds, decided_by, why, interval = judge(claim, conditions, references.subject.reading is not None)
    details |= {"decided_by": decided_by, "why": why, "edges": _edges(claim.check, references)}
    if other := _other_data(claim, involved):
        return verdict(Status.NOT_DECIDABLE, details | {"why": other}, seeds=seeds)
    return verdict(status, details, interval=interval, seeds=seeds)


def _edges(check: Check, references: References) -> list[str]:
    """The selected values on an edge of their grids, each with the terms of the claim that selected it."""
    found: dict[str, list[str]] = {}
    for term in () if check.about_settings else check.involved:
        for edge in references.edges(term, getattr(check, "quantity", None)):
            found.setdefault(edge, []).append(references.name(term))
    return [f"{edge} ({listed(names)})" for edge, names in found.items()]


def _other_data(claim: Claim, results: Iterable[ExperimentResults]) -> str | None:
    """Why the data cannot show the claim, if it is not what the claim needs."""
    for one in results:
        is_own = one.data_kind != DataKind.STAND_IN and one.experiment.proxy_for is None
        if not {None: True, "own": is_own, "real": one.data_kind == DataKind.REAL}[claim.needs_data]:
            needed = "the paper's own data" if claim.needs_data == "own" else "real data"
            return f"needs {needed}; this is {one.data}"
    return None


def _left_out(keys: Sequence[str], results: Results) -> str:
    elsewhere = [key for key in keys if not results.known[key].runs_here]
    if elsewhere:
        scales = listed(dict.fromkeys(scale for key in elsewhere for scale in results.known[key].scales))
        return f"run at {scales} scale only: {', '.join(elsewhere)}"
    return f"not among the experiments of this run: {', '.join(keys)}"


def _check_known(claim: Claim, needed: Iterable[str], results: Results) -> None:
    for key in sorted(needed):
        if key not in results.known:
            hint = instead(key, results.known)
            raise AtlasError(f"claim {claim.paper}/{claim.id}: unknown experiment '{key}'; {hint}")


def evaluate_all(
    claims: Iterable[Claim], results: Results, out: Path, published: Iterable[dict[str, Any]] = ()
) -> list[Verdict]:
    """Checks every claim and writes the verdicts to `out` as a JSON list, one a line, the published ones last.

    `origin` says which they are: HERE or PUBLISHED.
    """
    verdicts = [check_claim(subject, results) for claim in claims for subject in subjects(claim, results.known)]
    entries = [{"origin": HERE, **verdict.as_json()} for verdict in verdicts]
    entries += [{"origin": PUBLISHED, **verdict} for verdict in published]
    lines = (json.dumps(entry, ensure_ascii=False, allow_nan=False) for entry in entries)
    write_text(out, "[\n" + ",\n".join(lines) + "\n]\n")
    return verdicts
