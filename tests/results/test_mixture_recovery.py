"""Learned mixture weights against the true ones."""

import numpy as np
import pytest

from fedatlas.data.store import Feature, write_store
from fedatlas.results.mixture_recovery import matched, recovery, true_weights

TRUTH = np.eye(3)[[0, 0, 1, 2, 2]]


def test_components_are_matched_whatever_their_order():
    learned = TRUTH[:, [2, 0, 1]]
    np.testing.assert_array_equal(matched(learned, TRUTH), TRUTH)
    found = recovery(np.stack([learned, TRUTH]), TRUTH)
    np.testing.assert_allclose(found["weights_distance"], 0, atol=1e-15)
    np.testing.assert_array_equal(found["clusters"], 1)


def test_a_client_in_the_wrong_cluster_counts():
    learned = np.eye(3)[[0, 1, 1, 2, 2]]  # the second client is wrong
    found = recovery(learned[None], TRUTH)
    np.testing.assert_allclose(found["clusters"], 4 / 5)
    np.testing.assert_allclose(found["weights_distance"], 1 - 4 / 5)  # four of five ones agree, both norms are sqrt 5


def test_every_configuration_is_matched_on_its_own():
    rng = np.random.default_rng(0)
    truth = rng.dirichlet([0.4] * 3, 20)
    learned = np.stack([truth[:, order] for order in ([1, 0, 2], [2, 1, 0], [1, 2, 0])])
    np.testing.assert_array_equal(matched(learned, truth), np.stack([truth] * 3))


def test_many_components_are_matched():
    truth, order = np.random.default_rng(0).dirichlet([0.4] * 12, 40), np.random.default_rng(1).permutation(12)
    np.testing.assert_array_equal(matched(truth[:, order], truth), truth)


@pytest.fixture
def store(tmp_path):
    client = {"y": np.zeros(1, np.int32)}
    return write_store(
        tmp_path / "store", name="made", options={}, seed=0, kind="stand-in", features=[Feature("y", "int32", ())],
        splits={"train": [("3", client), ("0", client)], "unseen_train": [("1", client)]},
        truth={"pi": np.arange(8.0).reshape(4, 2)},
    )  # fmt: skip


def test_true_weights_are_those_of_the_clients_of_the_split(store):
    np.testing.assert_array_equal(true_weights(store, 2), [[6, 7], [0, 1]])
    np.testing.assert_array_equal(true_weights(store, 2, "unseen_train"), [[2, 3]])
    assert true_weights(store, 3) is None
    assert true_weights(store, None) is None
