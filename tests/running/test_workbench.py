"""What train.ipynb is made of: lists to choose from, the experiment in words."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
import yaml

pytest.importorskip("tensorflow")

from fedatlas.errors import AtlasError
from fedatlas.experiments.runs import RunId
from fedatlas.experiments.spec import find_experiment
from fedatlas.running import workbench
from fedatlas.running.runner import Machine
from fedatlas.running.workbench import choose, described, open_run, train_run

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def in_a_notebooks_folder(monkeypatch):
    monkeypatch.chdir(ROOT / "notebooks")


def test_without_lists_it_is_what_is_given():
    assert choose("fco/lasso_I", "fedmid", 0, "quick", lists=False) == ("fco/lasso_I", "fedmid", 0)
    with pytest.raises(AtlasError, match="fedmidd"):
        choose("fco/lasso_I", "fedmidd", 0, "quick")


def test_lists_offer_what_an_experiment_has(capsys):
    chosen = choose("fco/lasso_I", "fedmid", 0, "quick")
    assert (chosen.experiment, chosen.algorithm, chosen.seed) == ("fco/lasso_I", "fedmid", 0)
    chosen._experiment.value = "fedpd/unequal_steps"
    assert set(chosen._algorithm.options) == {"fedavg", "fednova", "fedpd"}
    assert chosen.algorithm == "fedavg"
    chosen._algorithm.value = "fednova"
    chosen._experiment.value = "fco/lasso_I"
    assert chosen.algorithm in chosen._algorithm.options and "fednova" not in chosen._algorithm.options
    assert open_run(chosen.experiment, chosen.algorithm, chosen.seed, "quick").algorithm == chosen.algorithm


def test_lists_offer_a_file_that_was_added_since(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "config", tmp_path / "config")
    monkeypatch.setattr("fedatlas.running.workbench.project_root", lambda: tmp_path)
    choose("fco/lasso_I", "fedmid", 0, "quick")
    (tmp_path / "config/experiments/fco/mine.yaml").write_text("extends: lasso_I\ntitle: Mine\n")
    assert choose("fco/mine", "fedmid", 0, "quick").experiment == "fco/mine"


def test_a_run_is_described_as_its_file_would_be():
    run = open_run("fco/lasso_I", "fedmid", 0, "quick", {"training": {"cohort": 7}})
    said = yaml.safe_load(described(run))
    assert said["training"]["cohort"] == 7 and said["sweep"] == {k: [*v] for k, v in run.spec.sweep.items()}


def test_an_unknown_seed_is_told():
    with pytest.raises(AtlasError, match="fco/lasso_I has no seed 99 at quick scale; it has 0"):
        open_run("fco/lasso_I", "fedmid", 99, "quick")


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ("cohort: 7", "'overrides' is 'cohort: 7', but must be a dictionary"),
        ({"training": {"cohrt": 7}}, "overrides.*cohrt"),
        ({"training": {"local_steps": 0, "local_epochs": None}}, "overrides.*'local_steps: 0'"),
        ({"sweep": {"client_lr": [-1], "server_lr": [1]}}, "overrides.*'sweep.client_lr' holds -1"),
        ({"dataset": {"name": "cifar10", "n_clients": 3}}, "overrides.*unknown key 'dataset.n_clients'"),
    ],
)
def test_what_cannot_be_overridden_is_told_before_any_training(overrides, words):
    with pytest.raises(AtlasError, match=words):
        open_run("fco/lasso_I", "fedmid", 0, "quick", overrides)


def test_what_is_overridden_need_not_suit_the_other_algorithms():
    overrides = {"training": {"batch_size": 10}}
    assert open_run("dualfl/mnist", "feddualavg", 0, "quick", overrides).spec.training.batch_size == 10
    with pytest.raises(AtlasError, match="DualFL"):
        open_run("dualfl/mnist", "dualfl", 0, "quick", overrides)


def test_what_is_overridden_holds_for_an_algorithm_with_an_entry_of_its_own_too():
    overrides = {"training": {"local_steps": 3}, "sweep": {"client_lr": [0.5], "server_lr": [1]}}
    spec = open_run("dualfl/mnist", "feddualavg", 0, "quick", overrides).spec  # whose entry has both keys
    assert spec.training.local_steps == 3 and spec.sweep["client_lr"] == (0.5,)
    own = {"algorithms": {"feddualavg": {"training": {"local_steps": 4}}}}
    assert open_run("dualfl/mnist", "feddualavg", 0, "quick", overrides | own).spec.training.local_steps == 4


@pytest.fixture
def done(tmp_path, monkeypatch):
    """What is made and trained, in an empty project, in this order."""
    found = []

    def build(name, options, seed, raw, store):
        found.append(name)
        store.mkdir(parents=True, exist_ok=True)
        (store / "manifest.json").touch()

    monkeypatch.setattr(workbench, "project_root", lambda: tmp_path)
    monkeypatch.setattr(workbench.catalogue, "build", build)
    monkeypatch.setattr(workbench, "train", lambda run, *rest: found.append(run.algorithm))
    return found


def test_what_a_run_needs_is_trained_first(done):
    run = RunId(find_experiment(ROOT / "config/experiments", "dualfl/mnist", "quick"), "dualfl", 0)
    train_run(run, "data/runs/by-hand", Machine())
    assert done == ["digits", "newton", "dualfl"]


@pytest.mark.parametrize(("library", "again"), [("", ["lasso"]), ("of the workflow", [])])
def test_a_store_is_made_again_by_hand_when_its_data_set_has_changed(done, tmp_path, library, again):
    run = RunId(find_experiment(ROOT / "config/experiments", "fco/lasso_I", "quick"), "fedmid", 0)
    for _ in range(2):
        train_run(run, "data/runs/by-hand", Machine(library=library))
    assert done == ["lasso", "fedmid", "fedmid"]
    os.utime(tmp_path / "data/clients" / run.dataset_id / "manifest.json", (0, 0))
    train_run(run, "data/runs/by-hand", Machine(library=library))
    assert done[3:] == [*again, "fedmid"]
