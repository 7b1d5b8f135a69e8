"""What a verdict says of the data that it rests on."""

from __future__ import annotations

from dataclasses import replace

import configuration
import pytest
from published_results import results

from fedatlas.claims.evaluate import check_claim
from fedatlas.claims.readings import Subject
from fedatlas.claims.schema import Claim
from fedatlas.data.kinds import DataKind
from fedatlas.experiments.scales import Scale
from fedatlas.results.collection import ExperimentResults

WEAKEST_FIRST = ["stand-in", "synthetic as in the paper", "real"]


@pytest.fixture(scope="module")
def kept():
    return results(Scale.PAPER, "fco")


@pytest.fixture(scope="module")
def claim(kept) -> Claim:
    """One that compares two published experiments."""
    both = (claim for claim in configuration.claims("fco") if len(claim.experiments) == 2)
    return next(claim for claim in both if claim.experiments <= set(kept.experiments))


def of_kind(own: ExperimentResults, *kinds: str) -> ExperimentResults:
    """The same with data of these kinds, by turns."""
    runs, number = {}, 0
    for algorithm, by_seed in own.runs.items():
        runs[algorithm] = {}
        for seed, run in by_seed.items():
            dataset = run.manifest.dataset.model_copy(update={"kind": DataKind(kinds[number % len(kinds)])})
            manifest = run.manifest.model_copy(update={"dataset": dataset})
            runs[algorithm][seed], number = replace(run, manifest=manifest), number + 1
    return replace(own, runs=runs)


@pytest.mark.parametrize("other", [0, 1])
@pytest.mark.parametrize(("weak", "strong"), [WEAKEST_FIRST[:2], WEAKEST_FIRST[1:], WEAKEST_FIRST[::2]])
def test_a_verdict_on_data_of_two_kinds_is_of_the_one_that_says_least(kept, claim, weak, strong, other):
    keys = sorted(claim.experiments)
    chosen = {keys[other]: of_kind(kept[keys[other]], weak), keys[1 - other]: of_kind(kept[keys[1 - other]], strong)}
    assert check_claim(Subject(claim), replace(kept, experiments=chosen)).as_json()["data"] == weak


def test_an_experiment_with_runs_on_several_kinds_is_of_the_one_that_says_least(kept):
    own = kept["fco/lasso_I"]
    assert of_kind(own, *WEAKEST_FIRST[::-1]).data_kind == WEAKEST_FIRST[0]
    assert of_kind(own, *WEAKEST_FIRST[:0:-1]).data_kind == WEAKEST_FIRST[1]


def test_whose_data_it_is_stands_without_what_it_is(kept):
    own = kept["fco/haxby_subject1"]
    assert own.data.startswith("other real data (")
    assert own.whose == "other real data"
    assert kept["fco/lasso_I"].whose == kept["fco/lasso_I"].data == "simulated as in the paper"
