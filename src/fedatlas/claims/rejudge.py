"""Published verdicts, judged again by today's rules from what is kept.

The tables keep less than the runs had: of long runs not every evaluated round, of a sweep the selected configuration
and the scores. Where a claim needs more, the numbers are those that its verdict has kept.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fedatlas.claims.checks._base import SENSES
from fedatlas.claims.conditions import Condition
from fedatlas.claims.evaluate import check_claim, conclude, conditions_of
from fedatlas.claims.quantities import Quantity
from fedatlas.claims.quantities._base import RoundMissingError, SweepNotHeldError
from fedatlas.claims.readings import Subject, subjects
from fedatlas.claims.references import References
from fedatlas.claims.schema import Claim
from fedatlas.claims.status import Status
from fedatlas.claims.verdict import Verdict, check_json, read_condition
from fedatlas.errors import AtlasError
from fedatlas.experiments.spec import Known
from fedatlas.files import write_text
from fedatlas.results.collection import ExperimentResults, Results
from fedatlas.results.published import Published, read_verdicts
from fedatlas.results.published.write import as_text
from fedatlas.results.run import MetricMissingError, Run

ADDED = "compares what was added to the experiment after its runs were published; it has to run again"
LATER = "written after the runs were published, whose tables do not keep what it asks for; they have to run again"
THRESHOLDS = ("relation", "margin", "equal_within", "expect", *SENSES)  # on which no measured number depends


def rejudge_all(
    claims: Collection[Claim],
    published: Mapping[str, Published],
    known: Known,
    out: Path,
) -> list[str]:
    """Writes every published verdict anew; returns what has changed, a line for each claim.

    Args:
        published: by experiment's key.
        known: the experiments at each scale.
        out: the folder of what is published, or a copy of it.
    """
    changes: list[str] = []
    by_key: dict[str, list[Verdict]] = {key: [] for key in published}
    for subject, results in judged(claims, published, known):
        kept = {verdict["id"]: verdict for verdict in published[subject.key].verdicts}.get(subject.id)
        found = rejudge(subject, kept, results)
        by_key[subject.key].append(found)
        changes.append(_change(kept, subject.key, subject.id, found.status))
    for key, verdicts in by_key.items():
        kept = {one["id"]: one for one in published[key].verdicts}
        again = {one.subject.id: but_for_rounding(one.as_json(), kept.get(one.subject.id)) for one in verdicts}
        write_text(out / key / "claims.json", as_text([*again.values()]))
        changes += (f"{key} {id}: {kept[id]['status']} -> no claim any more" for id in kept if id not in again)
    return list(filter(None, changes))


def but_for_rounding(again: Any, kept: Any) -> Any:
    """`again` as it was kept, wherever only rounding tells them apart, as it does between processors."""
    if isinstance(again, float) and isinstance(kept, float):
        return kept if math.isclose(again, kept, rel_tol=1e-9, abs_tol=1e-12) else again
    if isinstance(again, Mapping) and isinstance(kept, Mapping):
        return {key: but_for_rounding(value, kept.get(key)) for key, value in again.items()}
    if isinstance(again, list | tuple) and isinstance(kept, list | tuple):
        return [but_for_rounding(*pair) for pair in zip(again, kept, strict=True)] if len(again) == len(kept) else again
    return again


def judge_new(claims: Iterable[Claim], new: Results, kept: Mapping[str, ExperimentResults]) -> list[Verdict]:
    """The verdicts on runs that are to be published, and on those published before that a claim compares with them.

    Numbers of the latter come from their tables; where these hold too little, the claim is not decided any more.

    Args:
        kept: what is published at the same scale.
    """
    together = replace(new, experiments={**kept, **new.experiments})
    concerned = [
        one
        for claim in claims
        for one in subjects(claim, new.known)
        if one.experiments & set(new.experiments) and one.key in together
    ]
    return [
        check_claim(one, new) if one.experiments <= set(new.experiments) else rejudge(one, None, together)
        for one in concerned
    ]


def exchange_verdicts(folder: Path, verdicts: Iterable[Verdict]) -> list[str]:
    """Writes verdicts in place of those that one published experiment has, beside its others; returns what changes."""
    path = folder / "claims.json"
    there = {verdict["id"]: verdict for verdict in read_verdicts(path)}
    new = {verdict.subject.id: verdict.as_json() for verdict in verdicts}
    write_text(path, as_text([*{**there, **new}.values()]))
    changes = (_change(there.get(id), verdict["experiment"], id, verdict["status"]) for id, verdict in new.items())
    return list(filter(None, changes))


def _change(was: Mapping[str, Any] | None, key: str, id: str, now: str) -> str:
    """A line about a verdict that is another one now; empty if it is the same."""
    before = was["status"] if was else "not judged"
    return f"{key} {id}: {before} -> {now}" if before != now else ""


def judged(
    claims: Collection[Claim], published: Mapping[str, Published], known: Known
) -> Iterator[tuple[Subject, Results]]:
    """What is judged of what is published, and the results that judge it."""
    for scale, experiments in known.items():
        there = {key: one.results for key, one in published.items() if one.scale == scale}
        results = Results(scale, experiments, there)
        for subject in (one for claim in claims for one in subjects(claim, experiments)):
            if subject.key in there:
                yield subject, results


def rejudge(subject: Subject, kept: Mapping[str, Any] | None, results: Results) -> Verdict:
    """The verdict by today's claim and rules.

    Args:
        kept: the published verdict; None if the claim has none yet.
        results: what is published.

    Raises:
        AtlasError: if neither the tables nor the kept numbers decide a claim as it is today that was decided before.
    """
    if not subject.experiments <= set(results.experiments):
        return check_claim(subject, results)
    references = References(subject, results)
    place = (subject, results.known[subject.key].figure, results.scale)
    judged = kept is not None and bool(kept["details"].get("conditions"))
    if not all(map(references.holds, subject.claim.check.involved)):
        return Verdict(*place, Status.NOT_RUN, {"why": ADDED})
    expected = subject.claim.check.expectation(references)
    try:
        conditions = conditions_of(references)
    except (SweepNotHeldError, RoundMissingError, MetricMissingError):
        if not judged:
            return Verdict(*place, Status.NOT_RUN, {"why": LATER})
        return conclude(place, _kept(kept, subject, ()), references, expected)
    quantity = getattr(subject.claim.check, "quantity", None)
    if isinstance(quantity, Quantity) and quantity.reads_between and _is_thinned(references):
        if not judged:
            return Verdict(*place, Status.NOT_RUN, {"why": LATER})
        conditions = _exact(conditions, _kept(kept, subject, THRESHOLDS), subject)
    return conclude(place, conditions, references, expected)


def _is_thinned(references: References) -> bool:
    """Whether one of the tables misses a round that was evaluated."""
    terms = references.claim.check.involved
    return any(_misses_rounds(run, references, term) for term in terms for run in references.runs(term).values())


def _misses_rounds(run: Run, references: References, term: str) -> bool:
    spec = references.experiment(term).for_algorithm(references.split(term)[1])
    return not set(filter(spec.evaluates, range(spec.training.rounds + 1))) <= set(run.table["round"])


def _exact(conditions: Sequence[Condition], kept: list[Condition], subject: Subject) -> list[Condition]:
    """The conditions with the numbers, and the words for them, that were measured on every round."""
    by_label = {(condition.label, condition.sense): condition for condition in kept}
    try:
        exact = [by_label[c.label, c.sense] for c in conditions]
    except KeyError as error:
        raise _changed(subject) from error
    return [
        replace(c, values=_with_numbers(old.values, c.values), shown=old.shown, rounding=old.rounding)
        for c, old in zip(conditions, exact, strict=True)
    ]


def _with_numbers(old: Mapping[int, float], new: Mapping[int, float]) -> dict[int, float]:
    """The old values; where they had no number, what stands for a run that has diverged by today's rules."""
    return {seed: new.get(seed, value) if math.isnan(value) else value for seed, value in old.items()}


def _kept(kept: Mapping[str, Any] | None, subject: Subject, free: Collection[str]) -> list[Condition]:
    """The conditions of a verdict, of a check that was as it is today but for the keys that are `free`."""
    if kept is None or not kept["details"].get("conditions"):
        raise _changed(subject)
    then, now = kept["details"].get("check", {}), check_json(subject.claim.check)
    if any(then.get(key) != now.get(key) for key in {*then, *now} - {*free}):
        raise _changed(subject)
    return [read_condition(condition, kept["measured"]) for condition in kept["details"]["conditions"]]


def _changed(subject: Subject) -> AtlasError:
    return AtlasError(
        f"claim {subject.claim.paper}/{subject.id}: the published tables of {subject.key} do not hold what it "
        f"asks for: run that experiment and publish it again."
    )
