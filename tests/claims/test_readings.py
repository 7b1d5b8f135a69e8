"""A claim under each reading of what its paper leaves open."""

from __future__ import annotations

import pytest
from configuration import CONFIG, known
from made_claims import LAST, claim_of, ordering

from fedatlas.claims.evaluate import check_claim
from fedatlas.claims.readings import Subject, subjects
from fedatlas.experiments.scales import Scale
from fedatlas.experiments.sections import Seeds
from fedatlas.report.model.assumptions import load_assumptions

ZERO = {"figure": "Figure 1", "reading": {"of": "first", "assumption": "toy-start", "how": "start: zero"}}


def test_a_claim_is_judged_again_under_every_reading(results_of):
    results = results_of({"feddualavg": [0.9] * 3}, other={"feddualavg": [0.1] * 3}, second=ZERO)
    claim = claim_of({**LAST, "algorithms": ["feddualavg"], "at_least": 0.8})
    main, other = (check_claim(subject, results).as_json() for subject in subjects(claim, results.known))
    assert (main["id"], main["experiment"], main["status"], main["reading"]) == ("c", "toy/first", "reproduced", None)
    assert (other["id"], other["experiment"], other["status"]) == ("c@second", "toy/second", "not reproduced")
    assert other["reading"] == ZERO["reading"] | {"claim": "c"}


def test_a_claim_about_another_experiment_has_no_such_reading(results_of):
    results = results_of({}, other={})
    assert len([*subjects(claim_of({**LAST, "algorithms": ["feddualavg"], "at_least": 0}), results.known)]) == 1


def test_a_reading_without_the_algorithm_of_a_claim_does_not_judge_it(results_of):
    known = results_of({}, other={}, second=ZERO).known
    second = known["toy/second"]
    known = {**known, "toy/second": second.model_copy(update={"algorithms": {"fedmid": {}}})}
    about = claim_of({**LAST, "algorithms": ["feddualavg"], "at_least": 0})
    assert [subject.id for subject in subjects(about, known)] == ["c"]
    other = claim_of({**LAST, "algorithms": ["fedmid"], "at_least": 0})
    assert [subject.id for subject in subjects(other, known)] == ["c", "c@second"]


def test_a_claim_that_compares_two_experiments_is_judged_under_the_readings_of_its_own(results_of):
    """A run of one law is not compared with a run of another."""
    known = results_of({}, other={}, second=ZERO).known
    compares = claim_of(ordering(["feddualavg", "first/feddualavg"]))
    assert [subject.id for subject in subjects(compares, known)] == ["c", "c@second"]
    about = compares.model_copy(update={"experiment": "second"})
    assert about.experiments == {"toy/first", "toy/second"}
    assert [subject.id for subject in subjects(about, known)] == ["c"]


def test_a_reading_that_shares_no_seed_that_counts_judges_no_comparison_with_another_experiment(results_of):
    """The seed that selected both is all that they share."""
    seeds = {"sweep": [0], "tuned": [4, 5, 6]}
    known = results_of({}, other={}, second=ZERO).known
    known = {**known, "toy/third": known["toy/first"].model_copy(update={"id": "third"})}
    second = known["toy/second"].model_copy(update={"seeds": Seeds(**seeds)})
    across = claim_of(ordering(["feddualavg", "third/feddualavg"]))
    assert [subject.id for subject in subjects(across, known)] == ["c", "c@second"]
    assert [subject.id for subject in subjects(across, {**known, "toy/second": second})] == ["c"]
    within = claim_of(ordering())
    assert [subject.id for subject in subjects(within, {**known, "toy/second": second})] == ["c", "c@second"]


def test_only_the_seeds_that_two_experiments_share_are_shown(results_of):
    other = {**ZERO, "seeds": {"sweep": [0], "tuned": [2, 3, 4]}}
    numbers = {"feddualavg": [0.1, 0.2, 0.3, 0.4], "fedmid": [0.5] * 4}
    results = results_of({"feddualavg": [0.9, 0.8, 0.7]}, other=numbers, second=other)
    found = check_claim(Subject(claim_of(ordering(["feddualavg", "second/feddualavg"]))), results)
    assert found.measured == "FedDualAvg 0.8, 0.7; FedDualAvg in A toy 0.2, 0.3"


@pytest.mark.parametrize("scale", [*Scale])
def test_readings_in_git_are_of_known_experiments_and_assumptions(scale):
    """They have no algorithm that the main experiment has not; quick runs have none."""
    there, registered = known(scale), {one.id for one in load_assumptions(CONFIG / "assumptions")}
    readings = [one for one in there.values() if one.reading]
    assert readings
    for experiment in readings:
        main = there[f"{experiment.paper}/{experiment.reading.of}"]
        assert main.reading is None, experiment.key
        assert set(main.algorithms) >= set(experiment.algorithms), experiment.key
        assert experiment.reading.assumption in registered, experiment.key
        assert experiment.figure == main.figure
        assert not (experiment.runs_here and scale == "quick"), experiment.key
