"""A test set is a sample: what its size says of a verdict."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pandas as pd
import pytest
from made_runs import made_manifest

from fedatlas.claims.checks import checks
from fedatlas.claims.conditions import Condition
from fedatlas.claims.quantities import quantities
from fedatlas.claims.references import References
from fedatlas.claims.verdict import condition_json, read_condition
from fedatlas.results.run import Run

ACCURACY = {"kind": "value", "metric": "accuracy", "split": "test", "at": "last"}


class RunsOf(References):
    """Runs of three seeds whose accuracies on the test examples are given, by term."""

    def __init__(self, accuracies, examples=54, shared=True, **options):
        self._accuracies, self._examples, self._shared, self._options = accuracies, examples, shared, options

    def runs(self, term):
        return {seed: self._run(seed, value) for seed, value in enumerate(self._accuracies[term])}

    def name(self, term):
        return term

    def _run(self, seed, accuracy):
        content = "ab" * 32 if self._shared else f"{seed:02d}" * 32
        data = {"id": "scans", "name": "scans", "options": self._options, "seed": 0, "kind": "real",
                "clients": 2, "examples": 8, "sha256": content,
                "by_split": {"train": self._examples, "test": self._examples}}  # fmt: skip
        row = {"configuration": 0, "round": 9, "client": -1, "metric": "accuracy", "value": accuracy}
        table = pd.DataFrame([row | {"split": split} for split in data["by_split"]])
        return Run(Path("run"), made_manifest(seed=seed, dataset=data), table)


def lead(references) -> Condition:
    order = checks["ordering"](kind="ordering", quantity=ACCURACY, best="highest", order=["ours", "theirs"],
                               relation="ahead", margin=0)  # fmt: skip
    (condition,) = order.conditions(references)
    return condition


def test_the_error_of_an_accuracy_is_binomial():
    quantity = quantities["value"].model_validate(ACCURACY)
    measured = RunsOf({"ours": [0.9, 0.9, 0.9]}, examples=100).measure("ours", quantity)
    assert measured.sampling == pytest.approx(math.sqrt(0.9 * 0.1 / 100))


def test_a_small_lead_on_few_shared_examples_is_undecided():
    accuracies = {"ours": [0.91, 0.911, 0.91], "theirs": [0.9, 0.9, 0.9]}
    assert lead(RunsOf(accuracies)).outcome == "undecided"
    assert lead(RunsOf(accuracies, examples=100_000)).outcome == "met"


def test_seeds_that_draw_their_own_examples_spread_already():
    accuracies = {"ours": [0.91, 0.911, 0.91], "theirs": [0.9, 0.9, 0.9]}
    assert lead(RunsOf(accuracies, shared=False)).sampling == 0
    assert lead(RunsOf(accuracies, shared=False)).outcome == "met"


def test_the_standard_test_examples_are_those_of_every_seed():
    """However differently the seeds deal the training examples."""
    accuracies = {"ours": [0.91, 0.911, 0.91], "theirs": [0.9, 0.9, 0.9]}
    dealt = RunsOf(accuracies, shared=False, splits="standard", partition={"name": "equal"})
    assert lead(dealt).sampling == lead(RunsOf(accuracies)).sampling > 0
    assert dealt.measure("ours", quantities["value"].model_validate(ACCURACY | {"split": "train"})).sampling == 0


@pytest.mark.parametrize("options", [{"splits": "80/20", "partition": {"name": "equal"}}, {"splits": "standard"}])
def test_examples_that_a_seed_draws_are_its_own(options):
    """By a cut of its own, or with the writers of FEMNIST that it draws."""
    assert lead(RunsOf({"ours": [0.91] * 3, "theirs": [0.9] * 3}, shared=False, **options)).sampling == 0


def test_a_ratio_of_accuracies_has_the_relative_errors_of_both():
    ratio = checks["ratio"](kind="ratio", quantity=ACCURACY, of="theirs", to=["ours"], at_most=0.9)
    (condition,) = ratio.conditions(RunsOf({"ours": [0.2, 0.2, 0.2], "theirs": [0.19, 0.19, 0.19]}, examples=2500))
    ours, theirs = (math.sqrt(value * (1 - value) / 2500) / value for value in (0.2, 0.19))
    assert condition.sampling == pytest.approx(0.95 * math.hypot(ours, theirs))
    assert condition.outcome == "undecided"  # 0.9 lies within two errors of 0.95


@pytest.mark.parametrize("lost", ["theirs", "ours"])
def test_a_ratio_to_a_method_that_diverged_on_a_seed_is_not_comparable(lost):
    ratio = checks["ratio"](kind="ratio", quantity=ACCURACY, of="theirs", to=["ours"], at_most=0.9)
    accuracies = {"ours": [0.2, 0.2, 0.2], "theirs": [0.19, 0.19, 0.19]} | {lost: [0.2, math.nan, 0.2]}
    (condition,) = ratio.conditions(RunsOf(accuracies, examples=2500))
    assert condition.outcome == "not comparable"
    json.dumps(condition_json(condition), allow_nan=False)


def test_a_verdict_keeps_the_error():
    condition = lead(RunsOf({"ours": [0.91, 0.911, 0.91], "theirs": [0.9, 0.9, 0.9]}))
    assert read_condition(condition_json(condition), "").interval == condition.interval
