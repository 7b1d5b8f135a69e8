"""The objective of a chunk of clients."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from fedatlas.federated.objectives import Objective
from fedatlas.problems import problems
from fedatlas.problems.base import Batch, Data


@pytest.mark.parametrize("prepared", [True, False])
def test_a_point_of_the_server_is_one_of_every_client(prepared):
    rng = np.random.default_rng(0)
    problem = problems["binary_logistic"](data=Data((3,), 2, {}), nonzero_above=0.1)
    mask = np.array([[1, 1, 1, 1], [1, 1, 0, 0]], bool)
    batch = Batch(*map(tf.constant, (rng.normal(size=(2, 4, 3)), rng.integers(2, size=(2, 4)), mask)))
    objective = Objective.of_all(problem, batch, tf.float64, None) if prepared else Objective(problem, batch)
    shared = tf.constant(rng.normal(size=(5, 1, 4)))
    apart = tf.repeat(shared, 2, axis=1)
    found = objective.gradient(shared)
    assert found.shape == (5, 2, 4)
    np.testing.assert_allclose(found, objective.gradient(apart), rtol=1e-12)
    np.testing.assert_allclose(objective.value(shared), objective.value(apart), rtol=1e-12)
    assert not np.allclose(found[:, 0], found[:, 1])
