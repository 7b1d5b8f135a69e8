"""The distance to the clients' points: the loss, its gradient, and how far the model is from the optimum."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from fedatlas.federated.objectives import Objective
from fedatlas.problems import problems
from fedatlas.problems.base import Batch, Data

OPTIMUM = np.array([0.6, 0.8, 0.0])


def problem(truth):
    return problems["nearest_point"](data=Data((3,), None, truth))


def test_loss_and_gradient_by_hand():
    rng = np.random.default_rng(1)
    x, w = rng.normal(size=(2, 5, 3)), rng.normal(size=(4, 2, 3))
    mask = np.array([[True] * 5, [True] * 2 + [False] * 3])
    batch, chosen = Batch(*(tf.constant(a) for a in (x, np.zeros((2, 5)), mask))), problem({})
    losses = chosen.losses(tf.constant(w), batch).numpy()
    np.testing.assert_allclose(losses, ((w[:, :, None] - x) ** 2).sum(-1) / 2, rtol=1e-12)
    gradient = Objective(chosen, batch).gradient(tf.constant(w)).numpy()
    for c, count in enumerate((5, 2)):
        np.testing.assert_allclose(gradient[:, c], w[:, c] - x[c, :count].mean(0), rtol=1e-12, atol=1e-15)


def test_it_measures_the_norm_and_the_distance_to_the_optimum():
    w = tf.constant(np.array([OPTIMUM, 0 * OPTIMUM, 3 * OPTIMUM]))
    found = problem({"optimum": OPTIMUM}).model_metrics(w)
    np.testing.assert_allclose(found["norm"], [1, 0, 3], rtol=1e-12)
    np.testing.assert_allclose(found["distance"], [0, 1, 2], rtol=1e-12, atol=1e-15)
    assert set(problem({}).model_metrics(w)) == {"norm"}
