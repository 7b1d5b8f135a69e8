"""Clients' own models, on their own examples."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from algorithms.states import of_clients
from simulating import grid, simulate, write_classes

from fedatlas.federated.batches import LocalWork
from fedatlas.federated.local_options import LocalOptions
from fedatlas.running.metrics import worst_decile

SIZES = {"train": [9, 4, 6], "test": [3, 5, 1], "unseen_train": [7, 5], "unseen_test": [2, 4]}
LOGISTIC = {"name": "binary_logistic", "nonzero_above": 0.01, "spread": 1.0}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return write_classes(tmp_path_factory.mktemp("personal") / "store", SIZES, classes=2)


def by_hand(store, split, client, w):
    """Loss and accuracy of logistic regression with an intercept."""
    data = store.read(split, client)
    z = data["x"] @ w[:-1] + w[-1]
    signs = 2 * data["y"] - 1
    return np.log1p(np.exp(-signs * z)).mean(), ((z > 0) == data["y"]).mean()


@pytest.mark.parametrize(("chunk", "shards"), [(3, 1), (2, 1), (2, 2)])
def test_an_algorithm_without_own_models_has_the_servers(store, chunk, shards):
    simulation = simulate(
        store, "fedavg", grid("fedavg", [0.1, 0.5]), problem=LOGISTIC, cohort=2, chunk=chunk, shards=shards
    )
    simulation.advance()
    found, params = simulation.evaluate_own(["train", "test", "unseen_test"]), simulation.measure().params
    assert set(found) == {(split, name) for split in ("train", "test", "unseen_test") for name in ("loss", "accuracy")}
    for split in ("train", "test", "unseen_test"):
        for client in range(len(SIZES[split])):
            for configuration in range(2):
                loss, accuracy = by_hand(store, split, client, params[configuration])
                np.testing.assert_allclose(found[split, "loss"][configuration, client], loss, rtol=1e-9)
                np.testing.assert_allclose(found[split, "accuracy"][configuration, client], accuracy, rtol=1e-9)


def hinge_by_hand(store, client, w):
    data = store.read("train", client)
    margins = (2 * data["y"] - 1) * (data["x"] @ w[:-1] + w[-1])
    return np.maximum(0, 1 - margins).mean()


@pytest.mark.parametrize(
    ("algorithm", "problem", "work"),
    [
        ("pfedme", LOGISTIC, LocalWork(batch_size=None, steps=1)),
        ("l2gd", LOGISTIC, LocalWork(batch_size=None, steps=1)),
        ("mocha", {"name": "hinge", "mu": 0.0}, LocalWork(batch_size=1, epochs=1)),
    ],
)
def test_own_models_are_those_that_the_clients_keep(store, algorithm, problem, work):
    """Neither the server's model nor, of L2GD, the one that this round's coin draws towards the mean."""
    simulation = simulate(store, algorithm, grid(algorithm, [0.5]), problem=problem, work=work)
    for _ in range(5):
        simulation.advance()
        own, found = of_clients(simulation)[0], simulation.evaluate_own(["train"])["train", "loss"][0]
        for client, w in enumerate(own):
            logistic = problem is LOGISTIC
            loss = by_hand(store, "train", client, w)[0] if logistic else hinge_by_hand(store, client, w)
            np.testing.assert_allclose(found[client], loss, rtol=1e-9)
    assert np.ptp(own, axis=0).max() > 0


def test_worst_decile():
    values = np.arange(30.0)[None, ::-1]
    np.testing.assert_array_equal(worst_decile(values), [2.0])
    np.testing.assert_array_equal(worst_decile(np.array([[3.0, 1.0, 2.0]])), [1.0])


def test_a_client_tunes_at_the_rate_of_the_first_round(store):
    """One step along the whole gradient, after the rate has fallen to a tenth in the rounds."""
    simulation = simulate(
        store, "fedavg_finetuned", grid("fedavg_finetuned", [0.5]), problem=LOGISTIC, cohort=3,
        work=LocalWork(batch_size=None, steps=1), local=LocalOptions(client_lr_drops=(1,)),
    )  # fmt: skip
    for _ in range(2):
        simulation.advance()
    w, found = simulation.measure().params[0], simulation.evaluate_own(["test"])
    for client in range(3):
        data = store.read("train", client)
        x, signs = np.column_stack([data["x"], np.ones(len(data["y"]))]), 2 * data["y"] - 1
        gradient = (-signs / (1 + np.exp(signs * (x @ w)))) @ x / len(x)
        loss = by_hand(store, "test", client, w - 0.5 * gradient)[0]
        np.testing.assert_allclose(found["test", "loss"][0, client], loss, rtol=1e-9)


def test_a_client_that_never_trained_updates_the_servers_model_as_pfedme_does(store):
    """Two steps from w along the gradient and mu (theta - w)."""
    hyperparameters = {"client_lr": np.array([0.5]), "mu": np.array([2.0])}
    simulation = simulate(
        store,
        "pfedme_surrogate_finetuned",
        hyperparameters,
        problem=LOGISTIC,
        cohort=2,
        work=LocalWork(batch_size=None, steps=2),
    )
    simulation.advance()
    w, found = simulation.measure().params[0], simulation.evaluate_own(["unseen_test"])
    for client in range(2):
        data, theta = store.read("unseen_train", client), w
        x, signs = np.column_stack([data["x"], np.ones(len(data["y"]))]), 2 * data["y"] - 1
        for _ in range(2):
            gradient = (-signs / (1 + np.exp(signs * (x @ theta)))) @ x / len(x)
            theta = theta - 0.5 * (gradient + 2.0 * (theta - w))
        loss = by_hand(store, "unseen_test", client, theta)[0]
        np.testing.assert_allclose(found["unseen_test", "loss"][0, client], loss, rtol=1e-9)
