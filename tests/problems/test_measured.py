"""What a problem says that it measures is what it measures."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from fedatlas.problems import Mixture, problems
from fedatlas.problems.base import Batch, Data

DATA = Data((6,), 3, {"w_real": np.ones(6), "optimum": np.ones(6)})
MODELS = [
    ("binary_logistic", {"nonzero_above": 0.1}),
    ("hinge", {}),
    ("least_squares", {}),
    ("linear_regression", {"nonzero_above": 0.1}),
    ("mlp", {"hidden": [3]}),
    ("multinomial_logistic", {}),
    ("multinomial_logistic", {"mu": 0.1}),
    ("nearest_point", {}),
    ("penalised_logistic", {"lam": 0.1, "alpha": 1.0}),
]


def check(problem, data):
    w = tf.zeros([1, problem.num_params])
    batch = Batch(tf.zeros([1, 2, *data.shape]), tf.zeros([1, 2], tf.int32), tf.ones([1, 2], tf.bool))
    assert set(problem.model_metrics(w)) == set(problem.measured.parameters)
    assert set(problem.example_metrics(w[None], batch)) == set(problem.measured.examples)
    assert set(problem.client_metrics(w[None])) == set(problem.measured.client)


@pytest.mark.parametrize(("name", "options"), MODELS)
def test_of_a_model(name, options):
    check(problems[name](data=DATA, **options), DATA)


def test_of_a_matrix():
    data = Data((2, 3), None, {"w_real": np.ones((2, 3))})
    check(problems["matrix_regression"](data=data, rank_above=0.1), data)


@pytest.mark.parametrize("truth", [{}, {"theta": np.ones((2, 6))}, {"theta": np.ones((3, 6))}])
def test_of_a_mixture(truth):
    data = Data((6,), 2, truth)
    check(Mixture(data, problems["binary_logistic"](data=data, nonzero_above=0.1), 2), data)
