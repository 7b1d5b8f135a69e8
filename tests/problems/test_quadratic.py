"""The two clients whose objectives cancel."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from fedatlas.federated.objectives import Objective
from fedatlas.problems import problems
from fedatlas.problems.base import Batch, Data

PROBLEM = problems["quadratic"](data=Data((1,), None, {}), start=2.5)
CLIENTS = Batch(tf.constant([[[1.0]], [[-1.0]]]), tf.constant([[0.0], [0.0]]), tf.ones((2, 1), tf.bool))


def test_the_clients_cancel_and_their_gradients_do_not():
    w = tf.constant([[[3.0], [3.0]], [[-2.0], [-2.0]]])
    np.testing.assert_allclose(PROBLEM.losses(w, CLIENTS)[..., 0], [[9, -9], [4, -4]])
    np.testing.assert_allclose(Objective(PROBLEM, CLIENTS).gradient(w)[..., 0], [[6, -6], [-4, 4]])


def test_slopes_are_added():
    tilted = CLIENTS._replace(y=tf.constant([[0.5], [0.0]]))
    w = tf.constant([[[3.0], [3.0]]])
    np.testing.assert_allclose(Objective(PROBLEM, tilted).gradient(w)[..., 0], [[6.5, -6]])


def test_it_starts_where_it_is_told_and_says_how_far_it_is():
    np.testing.assert_array_equal(PROBLEM.initial(7), [2.5])
    np.testing.assert_allclose(PROBLEM.model_metrics(tf.constant([[-4.0], [0.0]]))["distance"], [4, 0])
