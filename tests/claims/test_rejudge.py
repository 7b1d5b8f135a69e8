"""Judging again what is published, whose tables do not keep every round."""

from __future__ import annotations

from dataclasses import replace

from made_claims import TO_90, claim_of, rising

from fedatlas.claims.evaluate import check_claim
from fedatlas.claims.readings import Subject
from fedatlas.claims.rejudge import ADDED, rejudge
from fedatlas.claims.status import Status
from fedatlas.results.collection import Results

THINNED = 20


def thinned(results):
    """The results with only every other evaluated round, as a long run is published."""

    def thin(run):
        return replace(run, table=run.table[run.table["round"] % THINNED == 0])

    found = {
        key: replace(
            one, runs={name: {seed: thin(run) for seed, run in seeds.items()} for name, seeds in one.runs.items()}
        )
        for key, one in results.experiments.items()
    }
    return Results(results.scale, results.known, found)


def test_a_number_of_rounds_stays_as_it_was_measured(results_of):
    results = results_of({"feddualavg": [rising(9), rising(10), rising(11)]})
    subject = Subject(claim_of({**TO_90, "algorithms": ["feddualavg"], "at_most": 25}))
    published = check_claim(subject, results).as_json()
    again = rejudge(subject, published, thinned(results)).as_json()
    assert "10, 10, 20" in published["measured"]
    assert again == published


def test_what_was_added_to_an_experiment_later_is_not_run(results_of):
    results = results_of({"feddualavg": [rising(9), rising(10), rising(11)], "fedmid": [rising(9)] * 3})
    subject = Subject(claim_of({**TO_90, "algorithms": ["feddualavg", "fedmid"], "at_most": 25}))
    without = {
        key: replace(one, runs={name: runs for name, runs in one.runs.items() if name != "fedmid"})
        for key, one in results.experiments.items()
    }
    verdict = rejudge(subject, None, Results(results.scale, results.known, without))
    assert verdict.status == Status.NOT_RUN and verdict.details["why"] == ADDED
