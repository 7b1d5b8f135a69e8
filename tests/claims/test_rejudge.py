"""Judging again what is published, whose tables do not keep every round."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from made_claims import F1, TO_90, claim_of, ordering, rising

from fedatlas.claims.evaluate import check_claim
from fedatlas.claims.readings import Subject
from fedatlas.claims.rejudge import ADDED, LATER, but_for_rounding, exchange_verdicts, judge_new, rejudge, rejudge_all
from fedatlas.claims.status import Status
from fedatlas.errors import AtlasError
from fedatlas.experiments.scales import Scale
from fedatlas.results.collection import Results

THINNED = 20


def kept(results, rows):
    """The results with fewer rows of each run's table, as they are published."""
    found = {
        key: replace(
            one,
            runs={
                name: {seed: replace(run, table=run.table[rows(run)]) for seed, run in by_seed.items()}
                for name, by_seed in one.runs.items()
            },
        )
        for key, one in results.experiments.items()
    }
    return Results(results.scale, results.known, found)


def thinned(results):
    """With only every other evaluated round, as of a long run."""
    return kept(results, lambda run: run.table["round"] % THINNED == 0)


def only_the_selected(results):
    """With the selected configuration of each sweep alone."""
    return kept(results, lambda run: run.table["configuration"] == run.selected)


def test_a_number_of_rounds_stays_as_it_was_measured(results_of):
    results = results_of({"feddualavg": [rising(9), rising(10), rising(11)]})
    subject = Subject(claim_of({**TO_90, "algorithms": ["feddualavg"], "at_most": 25}))
    published = check_claim(subject, results).as_json()
    again = rejudge(subject, published, thinned(results)).as_json()
    assert "10, 10, 20" in published["measured"]
    assert again == published


TYPICAL = {"kind": "over_grid", **F1, "at": "last", "best": "highest"}


def test_a_claim_about_a_sweep_is_judged_by_kept_numbers_unless_its_threshold_has_changed(results_of):
    results = results_of({"feddualavg": [rising(9)] * 3, "fedmid": [rising(10)] * 3})
    subject = Subject(claim_of(ordering(quantity=TYPICAL)))
    published, alone = check_claim(subject, results).as_json(), only_the_selected(results)
    assert published["details"]["conditions"]
    assert rejudge(subject, published | {"expected": "F1 in other words; more than 0.01"}, alone).as_json() == published
    for change in ({"margin": 0.02}, {"order": ["fedmid", "feddualavg"]}):
        with pytest.raises(AtlasError, match="run that experiment and publish it again"):
            rejudge(Subject(claim_of(ordering(quantity=TYPICAL, **change))), published, alone)


def test_numbers_of_every_round_are_kept_for_another_threshold_and_not_for_another_check(results_of):
    results = results_of({"feddualavg": [rising(9), rising(10), rising(11)], "fedmid": [rising(40)] * 3})
    check = ordering(quantity=TO_90, best="lowest", margin=0)
    published = check_claim(Subject(claim_of(check)), results).as_json()
    later = rejudge(Subject(claim_of({**check, "margin": 100})), published, thinned(results))
    assert (later.status, later.measured) == (Status.FAILED, published["measured"])
    with pytest.raises(AtlasError, match="run that experiment and publish it again"):
        rejudge(Subject(claim_of({**check, "best": "highest"})), published, thinned(results))


def test_a_round_that_the_tables_keep_no_more_is_not_run(results_of):
    results = thinned(results_of({"feddualavg": [rising(9)] * 3, "fedmid": [rising(10)] * 3}))
    at_ten = ordering(quantity={"kind": "value", **F1, "at": 10})
    verdict = rejudge(Subject(claim_of(at_ten)), None, results)
    assert verdict.status == Status.NOT_RUN and verdict.details["why"] == LATER


def test_a_metric_that_was_not_recorded_yet_is_not_run(results_of):
    results = kept(results_of({"feddualavg": [rising(9)] * 3}), lambda run: run.table["metric"] != "f1")
    verdict = rejudge(Subject(claim_of({**TO_90, "algorithms": ["feddualavg"], "at_most": 25})), None, results)
    assert verdict.status == Status.NOT_RUN and verdict.details["why"] == LATER


def test_an_experiment_without_claims_loses_its_old_verdicts(tmp_path):
    published = {
        "fco/lasso_I": SimpleNamespace(
            scale=Scale.PAPER, results=None, verdicts=[{"id": "old", "status": "reproduced"}]
        )
    }
    gone = rejudge_all([], published, {Scale.PAPER: {}}, tmp_path)
    assert gone == ["fco/lasso_I old: reproduced -> no claim any more"]
    assert json.loads((tmp_path / "fco/lasso_I/claims.json").read_text()) == []


def test_numbers_that_differ_by_rounding_stay_as_they_are_kept():
    kept = {"status": "reproduced", "interval": {"low": 1.0, "high": 2.0}, "values": [0.3, -1e-14], "seeds": 3}
    again = {"status": "reproduced", "interval": {"low": 1.0 + 1e-12, "high": 2.1}, "values": [0.3, 0.0], "seeds": 3}
    assert but_for_rounding(again, kept) == kept | {"interval": {"low": 1.0, "high": 2.1}}
    assert but_for_rounding(again | {"values": [0.3 + 1e-15]}, kept)["values"] == [0.3 + 1e-15]  # other seeds
    assert but_for_rounding(again, None) == again


def test_what_was_added_to_an_experiment_later_is_not_run(results_of):
    results = results_of({"feddualavg": [rising(9), rising(10), rising(11)], "fedmid": [rising(9)] * 3})
    subject = Subject(claim_of({**TO_90, "algorithms": ["feddualavg", "fedmid"], "at_most": 25}))
    without = {
        key: replace(one, runs={name: runs for name, runs in one.runs.items() if name != "fedmid"})
        for key, one in results.experiments.items()
    }
    verdict = rejudge(subject, None, Results(results.scale, results.known, without))
    assert verdict.status == Status.NOT_RUN and verdict.details["why"] == ADDED


COMPARED = claim_of(ordering(["feddualavg", "second/feddualavg"]))  # belongs to the first, compares with the second


@pytest.mark.parametrize(("first", "second"), [("here", "kept"), ("kept", "here")])
def test_a_verdict_on_two_experiments_is_judged_anew_with_either(results_of, first, second):
    both = results_of({"feddualavg": [0.9, 0.9, 0.9]}, {"feddualavg": [0.5, 0.5, 0.5]})
    of = {place: {key: both[key] for key, at in (("toy/first", first), ("toy/second", second)) if at == place}
          for place in ("here", "kept")}  # fmt: skip
    (found,) = judge_new([COMPARED], replace(both, experiments=of["here"]), of["kept"])
    assert found.status == Status.REPRODUCED and "0.9" in found.measured and "0.5" in found.measured


def test_what_the_tables_of_the_other_experiment_do_not_hold_is_not_taken_from_older_runs(results_of):
    both = results_of({"feddualavg": [rising(10)] * 3}, {"feddualavg": [rising(30)] * 3})
    claim = claim_of(ordering(["feddualavg", "second/feddualavg"], quantity=TO_90, best="lowest", margin=0))
    kept_too_little = thinned(both)["toy/first"]
    new = replace(both, experiments={"toy/second": both["toy/second"]})
    (found,) = judge_new([claim], new, {"toy/first": kept_too_little})
    assert found.status == Status.NOT_RUN and found.details == {"why": LATER}


def test_nothing_is_judged_of_what_is_neither_new_nor_kept(results_of):
    both = results_of({"feddualavg": [0.9, 0.9, 0.9]}, {"feddualavg": [0.5, 0.5, 0.5]})
    second = replace(both, experiments={"toy/second": both["toy/second"]})
    assert judge_new([COMPARED], second, {}) == []
    first = replace(both, experiments={"toy/first": both["toy/first"]})
    assert [one.status for one in judge_new([COMPARED], first, {})] == [Status.NOT_RUN]


def test_verdicts_are_exchanged_beside_the_others_of_their_experiment(results_of, tmp_path):
    both = results_of({"feddualavg": [0.9, 0.9, 0.9]}, {"feddualavg": [0.5, 0.5, 0.5]})
    new = check_claim(Subject(COMPARED), both)
    old = [new.as_json() | {"status": "not reproduced"}, new.as_json() | {"id": "other"}]
    (tmp_path / "claims.json").write_text(json.dumps(old))
    assert exchange_verdicts(tmp_path, [new]) == ["toy/first c: not reproduced -> reproduced"]
    assert json.loads((tmp_path / "claims.json").read_text()) == [new.as_json(), old[1]]
    assert exchange_verdicts(tmp_path, [new]) == []
