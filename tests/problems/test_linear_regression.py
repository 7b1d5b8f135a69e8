"""Least squares: the loss, its gradient by the engine's oracle, and the metrics of the support."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from fedatlas.federated.objectives import Objective
from fedatlas.problems import problems
from fedatlas.problems.base import Batch, Data


def problem(truth=None, features=3):
    return problems["linear_regression"](data=Data((features,), None, truth or {}), nonzero_above=0.01)


@pytest.fixture
def batch():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 5, 3)), rng.normal(size=(2, 5))
    mask = np.array([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]], bool)
    return Batch(*(tf.constant(a) for a in (x, y, mask)))


def test_loss_is_the_square_without_a_half(batch):
    w = np.random.default_rng(2).normal(size=(4, 2, 4))
    found = problem().losses(tf.constant(w), batch).numpy()
    for g in range(4):
        for c in range(2):
            by_hand = (batch.x[c].numpy() @ w[g, c, :3] + w[g, c, 3] - batch.y[c].numpy()) ** 2
            np.testing.assert_allclose(found[g, c], by_hand, rtol=1e-12)


def test_the_oracle_gives_each_client_the_gradient_of_its_own_mean(batch):
    w = np.random.default_rng(2).normal(size=(4, 2, 4))
    found = Objective(problem(), batch).gradient(tf.constant(w)).numpy()
    for g in range(4):
        for c, count in enumerate([5, 2]):
            x = np.column_stack([batch.x[c].numpy()[:count], np.ones(count)])
            residual = x @ w[g, c] - batch.y[c].numpy()[:count]
            np.testing.assert_allclose(found[g, c], 2 * x.T @ residual / count, rtol=1e-10)


def test_an_empty_batch_has_no_gradient(batch):
    empty = batch._replace(mask=tf.zeros_like(batch.mask))
    gradient = Objective(problem(), empty).gradient(tf.ones([1, 2, 4], tf.float64))
    np.testing.assert_array_equal(gradient, np.zeros((1, 2, 4)))


def test_support_metrics():
    truth = {"w_real": np.array([1.0, 1.0, 0.0, 0.0])}
    w = tf.constant([[1.0, 0.005, -0.02, 0.0, 9.0], [0.0, 0.0, 0.0, 0.0, 9.0], [1.0, 1.0, 0.0, 0.0, 9.0]])
    found = {name: values.numpy() for name, values in problem(truth, 4).model_metrics(w).items()}
    np.testing.assert_allclose(found["precision"], [0.5, 0.0, 1.0])
    np.testing.assert_allclose(found["recall"], [0.5, 0.0, 1.0])
    np.testing.assert_allclose(found["f1"], [0.5, 0.0, 1.0])
    np.testing.assert_allclose(found["density"], [0.5, 0.0, 0.5])
    np.testing.assert_allclose(found["recovery_error"], [np.hypot(0.995, 0.02), np.sqrt(2), 0.0], atol=1e-6)
