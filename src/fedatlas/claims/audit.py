"""What breaks the rules of judgement, of everything that is published."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fedatlas.claims.diagnoses import Diagnosis
from fedatlas.claims.judgement import judge
from fedatlas.claims.readings import Subject
from fedatlas.claims.rejudge import judged, rejudge
from fedatlas.claims.schema import Claim
from fedatlas.claims.status import Status
from fedatlas.claims.tally import claim_of, is_counted
from fedatlas.claims.verdict import read_condition
from fedatlas.errors import AtlasError
from fedatlas.experiments.spec import Known
from fedatlas.results.collection import Results
from fedatlas.results.published import Published

Verdict = Mapping[str, Any]
RETRACED = ("independent", "comparable", "saturated")  # what a condition says of its runs, beside their numbers


def audit(
    published: Mapping[str, Published],
    known: Known,
    claims: Iterable[Claim],
    diagnoses: Mapping[tuple[str, str], Diagnosis],
    registered: Mapping[str, Any],
) -> list[str]:
    """A sentence for every breach.

    Args:
        published: by experiment's key.
        known: the experiments at each scale.
        diagnoses: by paper and claim.
        registered: what `fedatlas register` wrote of each claim, by `<paper>/<id>`.
    """
    by_id = {(claim.paper, claim.id): claim for claim in claims}
    judges = {(one.key, one.id): (one, results) for one, results in judged(by_id.values(), published, known)}
    breaches = []
    for key, one in published.items():
        dirty = sorted({run.manifest.algorithm.id for run in one.results.all if run.manifest.dirty})
        for verdict in one.verdicts:
            place = f"{key} {verdict['id']}"
            mine = [*_of_numbers(verdict, by_id), *_of_records(verdict, diagnoses, registered)]
            if (key, verdict["id"]) in judges:
                mine += _of_tables(verdict, *judges[key, verdict["id"]])
            if dirty and Status(verdict["status"]).decided and verdict["about"] == "a result":
                mine.append(f"is decided by runs of a tree with uncommitted changes ({', '.join(dirty)})")
            breaches += [f"{place} {breach}" for breach in mine]
    return breaches


def _of_numbers(verdict: Verdict, claims: Mapping[tuple[str, str], Claim]) -> Iterator[str]:
    """Whether the status follows from the numbers, seeds and data that the verdict names."""
    status, details = Status(verdict["status"]), verdict["details"]
    claim = claims.get((verdict["paper"], claim_of(verdict)))
    if claim is None:
        yield "is about a claim that is not in config/claims"
        return
    if status in (Status.NOT_RUN, Status.NOT_DECIDABLE):
        return
    conditions = [read_condition(condition, "") for condition in details["conditions"]]
    follows = judge(claim, conditions, bool(verdict["reading"])).status
    if follows != status:
        yield f"is '{status}', but its numbers say '{follows}': run `fedatlas rejudge`"
    if claim.by_construction and is_counted(verdict):
        yield "is counted, though it holds by construction"
    if status.decided and "edges" not in details:
        yield "does not say which of its selected values lie on the edge of a grid"


def _of_tables(verdict: Verdict, subject: Subject, results: Results) -> Iterator[str]:
    """Whether the published tables say the same as the verdict, of edges and of seeds that selected too."""
    try:
        again = rejudge(subject, verdict, results).as_json()
    except AtlasError as error:
        yield f"does not follow from its tables: {error}"
        return
    if again["status"] != verdict["status"]:
        yield f"is '{verdict['status']}', but its tables say '{again['status']}': run `fedatlas rejudge`"
    told = {_value(edge) for edge in verdict["details"].get("edges", ())}
    for edge in again["details"].get("edges", ()):
        if _value(edge) not in told:
            yield f"does not say that a selected value lies on the edge of its grid: {edge}"
    kept, now = (one["details"].get("conditions", ()) for one in (verdict, again))
    if [_retraced(one) for one in kept] != [_retraced(one) for one in now]:
        yield "says something else than its runs of which seeds are independent, or of what compares"


def _value(edge: str) -> str:
    """What an edge says beside the name of the hyper-parameter, which may be written in another way by now."""
    return edge.partition(" = ")[2]


def _retraced(condition: Mapping[str, Any]) -> list[Any]:
    return [condition[name] for name in RETRACED]


def _of_records(
    verdict: Verdict, diagnoses: Mapping[tuple[str, str], Diagnosis], registered: Mapping[str, Any]
) -> Iterator[str]:
    """Whether it says when it was registered, and why it failed."""
    status = Status(verdict["status"])
    if status.decided and f"{verdict['paper']}/{verdict['id']}" not in registered:
        yield "has no registration state: run `fedatlas register`"
    of = {verdict["id"], claim_of(verdict)}  # a reading that fails with the main one has its diagnosis
    if status == Status.FAILED and not any((verdict["paper"], id) in diagnoses for id in of):
        yield f"is not reproduced and has no diagnosis in config/diagnoses/{verdict['paper']}.yaml"
