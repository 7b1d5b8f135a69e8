"""What of an experiment's file decides the result of a run, so that a change of it makes the run due again."""

from __future__ import annotations

from pathlib import Path

import pytest

from fedatlas.config import validate
from fedatlas.experiments.runs import RunId
from fedatlas.experiments.spec import Experiment, find_experiment, merge

CONFIG = Path(__file__).parents[2] / "config/experiments"
EXPERIMENT = find_experiment(CONFIG, "fco/lasso_I", "paper")


def settings(**changes) -> str:
    changed = merge(EXPERIMENT.model_dump(exclude_none=True), changes)
    return RunId(validate(changed, Experiment, "a test"), "feddualavg", 0).settings


@pytest.mark.parametrize(
    "changes",
    [
        {"training": {"rounds": 7}},
        {"training": {"cohort": 3}},
        {"dataset": {"name": "lasso", "variant": "II"}},
        {"problem": {"penalty": {"strength": 0.2}}},
        {"sweep": {"client_lr": [0.5], "server_lr": [1]}},
        {"evaluation": {"every": 1}},
        {"evaluation": {"splits": ["train"]}},
        {"select": {"metric": "recall", "split": "model", "best": "highest", "over_last": 20}},
        {"select": {"metric": "f1", "split": "model", "best": "highest", "over_last": 10}},
        {"seeds": {"sweep": [1]}},
        {"algorithms": {"feddualavg": {"training": {"rounds": 7}}}},
    ],
    ids=str,
)
def test_what_decides_the_result_changes_the_settings(changes):
    assert settings(**changes) != settings()


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "Other words"},
        {"question": "Is it so?"},
        {"figure": "Figure 99"},
        {"algorithms": {"fedmid": {"training": {"rounds": 7}}}},
        {"seeds": {"tuned": [3, 99]}},
    ],
    ids=str,
)
def test_words_and_other_algorithms_and_seeds_do_not(changes):
    assert settings(**changes) == settings()
