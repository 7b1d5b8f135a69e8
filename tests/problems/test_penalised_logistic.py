"""Logistic regression with the bounded regulariser, against the formulas of the paper's experiment."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from fedatlas.federated.objectives import Objective
from fedatlas.problems import problems
from fedatlas.problems.base import Batch, Data

LAM, ALPHA = 0.1, 3.0
PROBLEM = problems["penalised_logistic"](data=Data((4,), 2, {}), lam=LAM, alpha=ALPHA)


@pytest.fixture
def sample():
    rng = np.random.default_rng(1)
    mask = np.array([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]], bool)
    batch = Batch(tf.constant(rng.normal(size=(2, 5, 4))), tf.constant(rng.integers(2, size=(2, 5))), tf.constant(mask))
    return rng.normal(size=(3, 2, 4)), batch


def by_hand(w, a, labels):
    """The value and the gradient of f_i at w [d], for features a [n, d]."""
    b = 2.0 * labels - 1
    margins = b * (a @ w)
    value = np.log1p(np.exp(-margins)).mean() + (LAM * ALPHA * w**2 / (1 + ALPHA * w**2)).sum()
    slope = -(b / (1 + np.exp(margins))) @ a / len(b)
    return value, slope + 2 * LAM * ALPHA * w / (1 + ALPHA * w**2) ** 2


def test_value_and_gradient_by_hand(sample):
    w, batch = sample
    losses = PROBLEM.losses(tf.constant(w), batch).numpy()
    gradients = Objective(PROBLEM, batch).gradient(tf.constant(w)).numpy()
    for g in range(3):
        for c, count in enumerate([5, 2]):
            value, gradient = by_hand(w[g, c], batch.x[c].numpy()[:count], batch.y[c].numpy()[:count])
            np.testing.assert_allclose(losses[g, c, :count].mean(), value, rtol=1e-12)
            np.testing.assert_allclose(gradients[g, c], gradient, rtol=1e-10, atol=1e-14)


def test_the_regulariser_is_bounded_and_not_convex():
    def value(scale):
        return PROBLEM.regulariser(tf.constant(np.full((1, 1, 4), scale))).numpy().item()

    assert value(0.0) == 0 and 0.399 < value(1e3) < 4 * LAM
    assert value(1.0) > (value(0.0) + value(2.0)) / 2


def test_accuracy_counts_the_right_side_of_zero(sample):
    w, batch = sample
    z = np.einsum("gcd,cbd->gcb", w, batch.x.numpy())
    found = PROBLEM.example_metrics(tf.constant(w), batch)["accuracy"]
    np.testing.assert_array_equal(found, (z > 0) == (batch.y.numpy() == 1))


def test_it_has_no_intercept_of_its_own():
    assert PROBLEM.num_params == 4
    assert PROBLEM.stationarity
