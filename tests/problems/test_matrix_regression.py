"""Least squares over matrices: the loss and its gradient by hand, the rank and the distance to the truth."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from fedatlas.federated.objectives import Objective
from fedatlas.problems import problems
from fedatlas.problems.base import Batch, Data


def problem(truth=None, shape=(3, 2)):
    truth = {} if truth is None else {"w_real": truth}
    return problems["matrix_regression"](data=Data(shape, None, truth), rank_above=0.01)


@pytest.fixture
def batch():
    rng = np.random.default_rng(1)
    mask = np.array([[1, 1, 1, 1], [1, 1, 0, 0]], bool)
    return Batch(*(tf.constant(a) for a in (rng.normal(size=(2, 4, 3, 2)), rng.normal(size=(2, 4)), mask)))


def test_loss_and_gradient_by_hand(batch):
    w = np.random.default_rng(2).normal(size=(5, 2, 7))
    losses = problem().losses(tf.constant(w), batch).numpy()
    gradients = Objective(problem(), batch).gradient(tf.constant(w)).numpy()
    for g in range(5):
        for c, count in enumerate([4, 2]):
            x, matrix = batch.x[c].numpy(), w[g, c, :6].reshape(3, 2)
            residual = np.array([np.trace(matrix.T @ example) for example in x]) + w[g, c, 6] - batch.y[c].numpy()
            np.testing.assert_allclose(losses[g, c], residual**2, rtol=1e-10, atol=1e-12)
            by_hand = 2 * np.tensordot(residual[:count], x[:count], 1) / count
            np.testing.assert_allclose(gradients[g, c, :6], by_hand.ravel(), rtol=1e-10)
            np.testing.assert_allclose(gradients[g, c, 6], 2 * residual[:count].mean(), rtol=1e-10)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rank_and_distance_to_the_truth(dtype):
    truth = np.diag([1.0, 1.0, 0.0, 0.0])
    u, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(4, 4)))
    kernels = np.array([truth, 0 * truth, u @ np.diag([1, 0.0101, 0.0099, 1e-9]) @ u.T])
    w = tf.constant(np.column_stack([kernels.reshape(3, 16), [9.0] * 3]), dtype)
    found = {name: values.numpy() for name, values in problem(truth, (4, 4)).model_metrics(w).items()}
    np.testing.assert_array_equal(found["rank"], [2, 0, 2])
    np.testing.assert_array_equal(found["rank_error"], [0, 2, 0])
    np.testing.assert_allclose(found["recovery_error"], np.linalg.norm(kernels - truth, axis=(1, 2)), rtol=1e-6)


def test_without_a_truth_there_is_only_the_rank():
    assert set(problem().model_metrics(tf.ones([1, 7]))) == {"rank"}
