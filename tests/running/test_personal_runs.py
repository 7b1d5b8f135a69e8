"""What a run records of every client's own model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tensorflow")

from fedatlas.data.catalogue import datasets
from fedatlas.data.store import ClientStore, Feature, write_store
from fedatlas.errors import AtlasError
from fedatlas.experiments.runs import RunId
from fedatlas.experiments.spec import Experiment, find_experiment, merge, validate
from fedatlas.running.runner import train
from fedatlas.running.setup import Machine, make_setting

CONFIG = Path(__file__).parents[2] / "config/experiments"
DATA = {"variant": "paper", "clients": 12, "unseen": 0.25}
CHANGES = {
    "training": {"rounds": 4, "local": {"client_lr_drops": [2]}},
    "evaluation": {"every": 2},
    "sweep": {"client_lr": [0.1], "server_lr": [1.0]},
    "algorithms": {"fedem": {"sweep": {"client_lr": [0.1, 0.01], "stale": [0]}}},
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("stores") / "store"
    return datasets["mixture_of_linear_classifiers"](**DATA).write(path, path, 0, "mixture", DATA)


WHOLE = find_experiment(CONFIG, "fedem/unseen", "paper").model_dump(exclude_none=True)
RUN = RunId(validate(merge(WHOLE, CHANGES), Experiment, "a test"), "fedem", 0)


@pytest.fixture(scope="module")
def table(store, tmp_path_factory):
    return train(RUN, store.path, tmp_path_factory.mktemp("runs")).table


def test_clients_without_labels_mix_all_components_alike(tmp_path):
    options = DATA | {"labelled": 0}
    store = datasets["mixture_of_linear_classifiers"](**options).write(tmp_path / "s", tmp_path, 0, "mixture", options)
    table = train(RUN, store.path, tmp_path / "runs").table
    np.testing.assert_allclose(of_clients(table, "unseen_train", "entropy"), np.log(3), rtol=1e-5)  # float32
    assert of_clients(table, "train", "entropy").max() < np.log(3)
    assert of_clients(table, "unseen_test", "accuracy").max() > 0


def test_clients_of_another_split_are_not_those_of_training(tmp_path):
    """As where a data set has clients of its own for tests: what one has learned says nothing of another's examples."""
    features = [Feature("x", "float32", (150,)), Feature("y", "int32", ())]
    arrays = {"x": np.zeros((4, 150), np.float32), "y": np.zeros(4, np.int32)}
    splits = {"train": ["0", "1"], "test": ["1", "0"], "unseen_train": ["2"], "unseen_test": ["2"]}
    clients = {split: [(id, arrays) for id in ids] for split, ids in splits.items()}
    store = write_store(
        tmp_path / "s", name="m", options={}, seed=0, kind="stand-in", features=features, splits=clients, num_classes=2
    )
    splits_read = {"evaluation": {"splits": ["train", "test", "unseen_test"]}}
    run = RunId(validate(merge(merge(WHOLE, CHANGES), splits_read), Experiment, "a test"), "fedem", 0)
    with pytest.raises(AtlasError, match="fedem/unseen: 'evaluation.personal' .*'test' of .* has other clients than"):
        make_setting(run, store, Machine())


def of_clients(table, split, metric, configuration=0):
    rows = table[(table["client"] >= 0) & (table["split"] == split) & (table["metric"] == metric)]
    return rows[rows["configuration"] == configuration].set_index("client")["value"].sort_index()


def overall(table, split, metric, configuration=0):
    rows = table[(table["client"] == -1) & (table["split"] == split) & (table["metric"] == metric)]
    return rows[rows["configuration"] == configuration].set_index("round")["value"]


@pytest.mark.parametrize("split", ["test", "unseen_test"])
def test_the_mean_over_clients_is_weighted_by_their_examples(table, store: ClientStore, split):
    accuracies = of_clients(table, split, "accuracy")
    assert list(accuracies.index) == list(range(len(store.sizes(split))))
    expected = np.average(accuracies, weights=store.sizes(split))
    rounding = np.finfo(np.float32).eps * (len(accuracies) + max(store.sizes(split)))  # of the sums of these means
    np.testing.assert_allclose(overall(table, split, "accuracy")[4], expected, rtol=rounding)
    np.testing.assert_allclose(overall(table, split, "accuracy_decile")[4], accuracies.min(), rtol=rounding)


def test_clients_are_recorded_after_the_last_round_with_their_true_weights(table, store: ClientStore):
    assert set(table.loc[table["client"] >= 0, "round"]) == {4}
    truth = np.column_stack([of_clients(table, "train", f"true_weight_{m}", 1) for m in (1, 2, 3)])
    np.testing.assert_array_equal(truth, store.truth["pi"][[int(id) for id in store.ids("train")]])
    learned = np.column_stack([of_clients(table, "train", f"weight_{m}") for m in (1, 2, 3)])
    np.testing.assert_allclose(learned.sum(1), 1, rtol=1e-5)
    assert len(of_clients(table, "unseen_train", "entropy")) == len(store.ids("unseen_train"))


def test_how_much_of_the_mixture_was_found_is_recorded_over_the_rounds(table):
    for split, metric in (("train", "clusters"), ("train", "weights_distance"), ("model", "component_distance")):
        values = overall(table, split, metric)
        assert list(values.index) == [0, 2, 4]
        assert values.between(0, 1).all()
