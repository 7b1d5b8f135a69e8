"""Every published verdict follows again from what is kept beside it, by today's claims and rules."""

from __future__ import annotations

import json

import configuration
import pytest
from configuration import known
from published_results import PAPERS, published, results

from fedatlas.claims.judgement import judge
from fedatlas.claims.readings import subjects
from fedatlas.claims.rejudge import but_for_rounding, rejudge
from fedatlas.claims.status import Status
from fedatlas.claims.verdict import read_condition
from fedatlas.results.published.read import KEPT_SCALES
from fedatlas.results.published.write import as_text

UNJUDGED = (Status.NOT_RUN, Status.NOT_DECIDABLE)  # size or data decided, before the numbers


@pytest.fixture(scope="module", params=PAPERS)
def paper(request):
    """One of which everything that is published has been read."""
    published(request.param)
    return request.param


def kept(paper):
    """(experiment's key, verdict) of everything that is published of a paper."""
    return [(key, verdict) for key, one in published(paper).items() for verdict in one.verdicts]


def test_published_verdicts_follow_from_what_is_kept(paper):
    by_key, claims = published(paper), configuration.claims(paper)
    again = {}
    for scale in KEPT_SCALES:
        for subject in (one for claim in claims for one in subjects(claim, known(scale, paper))):
            if subject.key in by_key and by_key[subject.key].scale == scale:
                earlier = {verdict["id"]: verdict for verdict in by_key[subject.key].verdicts}.get(subject.id)
                again[subject.key, subject.id] = rejudge(subject, earlier, results(scale, paper)).as_json()
    there = {(key, verdict["id"]): verdict for key, verdict in kept(paper)}
    assert set(there) == set(again), "run `fedatlas rejudge`"
    now = {place: but_for_rounding(json.loads(as_text([one]))[0], there[place]) for place, one in again.items()}
    wrong = [f"{place}: {there[place]['status']}, now {now[place]['status']}" for place in there
             if now[place] != there[place]]  # fmt: skip
    assert not wrong, "\n".join(["run `fedatlas rejudge`:", *wrong])


def test_published_statuses_follow_from_their_own_numbers(paper):
    """The numbers that a verdict keeps decide it, without any table."""
    claims = {claim.id: claim for claim in configuration.claims(paper)}
    judged = 0
    for _, verdict in kept(paper):
        if Status(verdict["status"]) not in UNJUDGED:
            conditions = [read_condition(one, verdict["measured"]) for one in verdict["details"]["conditions"]]
            claim = claims[verdict["reading"]["claim"] if verdict["reading"] else verdict["id"]]
            found = judge(claim, conditions, bool(verdict["reading"])).status
            assert found == verdict["status"], verdict["id"]
            judged += 1
    assert judged
