"""Logistic regression: the loss, its gradient by the engine's oracle, and the metrics."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from fedatlas.federated.objectives import Objective
from fedatlas.problems import problems
from fedatlas.problems.base import Batch, Data

PROBLEM = problems["binary_logistic"](data=Data((3,), 2, {}), nonzero_above=1e-4)


@pytest.fixture
def w():
    return np.random.default_rng(2).normal(size=(4, 2, 4))


def batch(kind):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(2, 5, 3)) if kind == "float64" else rng.integers(256, size=(2, 5, 3)).astype(kind)
    mask = np.array([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]], bool)
    return Batch(tf.constant(x), tf.constant(rng.integers(2, size=(2, 5)).astype(np.int32)), tf.constant(mask))


def by_hand(w, given):
    """Logits and labels, [G, C, B]."""
    x = np.concatenate([given.x.numpy().astype(float), np.ones((2, 5, 1))], -1)
    return np.einsum("gcd,cbd->gcb", w, x), np.broadcast_to(given.y.numpy(), (4, 2, 5))


def test_loss_is_the_cross_entropy(w):
    given = batch("float64")
    z, y = by_hand(w, given)
    p = 1 / (1 + np.exp(-z))
    expected = -np.where(y == 1, np.log(p), np.log(1 - p))
    np.testing.assert_allclose(PROBLEM.losses(tf.constant(w), given), expected, rtol=1e-10)


@pytest.mark.parametrize("kind", ["float64", "uint8"])
def test_large_logits_do_not_overflow(w, kind):
    given = batch(kind)
    z, y = by_hand(1000 * w, given)
    found = PROBLEM.losses(tf.constant(1000 * w), given).numpy()
    np.testing.assert_allclose(found, np.logaddexp(0, np.where(y == 1, -z, z)), rtol=1e-10, atol=1e-12)


def test_the_oracle_gives_each_client_the_gradient_of_its_own_mean(w):
    given = batch("float64")
    z, y = by_hand(w, given)
    found = Objective(PROBLEM, given).gradient(tf.constant(w)).numpy()
    for c, count in enumerate([5, 2]):
        x = np.column_stack([given.x[c].numpy()[:count], np.ones(count)])
        errors = (1 / (1 + np.exp(-z)) - y)[:, c, :count]
        np.testing.assert_allclose(found[:, c], errors @ x / count, rtol=1e-10)


def test_accuracy_counts_the_right_side_of_zero(w):
    given = batch("float64")
    z, y = by_hand(w, given)
    found = PROBLEM.example_metrics(tf.constant(w), given)
    np.testing.assert_array_equal(found["accuracy"], (z > 0) == (y == 1))
    np.testing.assert_array_equal(found["loss"], PROBLEM.losses(tf.constant(w), given))


def test_density_is_of_the_kernel_alone():
    w = tf.constant([[1.0, 0.00005, -0.02, 9.0], [0.0, 0.0, 0.0, 9.0]])
    np.testing.assert_allclose(PROBLEM.model_metrics(w)["density"], [2 / 3, 0])
