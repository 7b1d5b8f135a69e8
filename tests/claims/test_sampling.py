"""A test set is a sample: what its size says of a verdict."""

from __future__ import annotations

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

    def __init__(self, accuracies, examples=54, shared=True):
        self._accuracies, self._examples, self._shared = accuracies, examples, shared

    def runs(self, term):
        return {seed: self._run(seed, value) for seed, value in enumerate(self._accuracies[term])}

    def name(self, term):
        return term

    def _run(self, seed, accuracy):
        content = "ab" * 32 if self._shared else f"{seed:02d}" * 32
        data = {"id": "scans", "name": "scans", "options": {}, "seed": 0, "kind": "real", "clients": 2, "examples": 8,
                "sha256": content, "by_split": {"test": self._examples}}  # fmt: skip
        row = {"configuration": 0, "round": 9, "client": -1, "split": "test", "metric": "accuracy", "value": accuracy}
        return Run(Path("run"), made_manifest(seed=seed, dataset=data), pd.DataFrame([row]))


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


def test_a_verdict_keeps_the_error():
    condition = lead(RunsOf({"ours": [0.91, 0.911, 0.91], "theirs": [0.9, 0.9, 0.9]}))
    assert read_condition(condition_json(condition), "").interval == condition.interval
