"""The chain of Claim 2.1: what its gradient is, and that it takes a round for each link."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from algorithms.rounds import path, solving, steps
from scipy.integrate import quad
from simulating import simulate

from fedatlas.data.datasets.chain import Chain
from fedatlas.federated.objectives import Objective
from fedatlas.problems import problems
from fedatlas.problems.base import Batch, Data

LINKS = 6
PROBLEM = problems["chain"](data=Data((LINKS,), None, {}))
EVERY = Batch(tf.eye(LINKS, dtype=tf.float64)[None], tf.zeros((1, LINKS)), tf.ones((1, LINKS), tf.bool))


def psi(v):
    return np.exp(1 - 1 / (2 * v - 1) ** 2) if v > 0.5 else 0.0


def phi(v):
    return np.sqrt(np.e) * quad(lambda t: np.exp(-t * t / 2), -np.inf, v)[0]


def terms(w):
    x = [1.0, *(np.sqrt(LINKS) * w)]
    return [psi(-a) * phi(-b) - psi(a) * phi(b) for a, b in zip(x, x[1:], strict=False)]


@pytest.fixture
def points():
    return np.random.default_rng(0).normal(0, 0.6, (200, LINKS))


def test_every_example_is_a_term_of_the_chain(points):
    found = PROBLEM.losses(tf.constant(points[:5, None]), EVERY)
    np.testing.assert_allclose(found[:, 0], [terms(w) for w in points[:5]], rtol=1e-6, atol=1e-12)


def test_the_squared_gradient_is_that_of_the_mean_of_the_terms(points):
    gradient = Objective(PROBLEM, EVERY).gradient(tf.constant(points[:, None]))[:, 0]
    metrics = PROBLEM.model_metrics(tf.constant(points))
    np.testing.assert_allclose(metrics["squared_gradient"], np.square(gradient).sum(1), rtol=1e-10)
    assert np.isfinite(gradient).all()


def test_the_gradient_is_long_until_every_link_is_reached(points):
    unfinished = (np.sqrt(LINKS) * np.abs(points) < 1).any(1)
    assert unfinished.sum() > 50
    assert PROBLEM.model_metrics(tf.constant(points))["squared_gradient"].numpy()[unfinished].min() > 1 / LINKS


@pytest.fixture(scope="module")
def chain(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stores")
    return Chain(links=LINKS).write(folder / "chain", Path(folder), 0, "chain", {"links": LINKS})


@pytest.mark.parametrize(
    ("algorithm", "hyperparameters", "options"),
    [
        ("fedavg", {"client_lr": [3.0], "server_lr": [1.0]}, {"work": steps(1)}),
        ("fedavg", {"client_lr": [1.0], "server_lr": [3.0]}, {"work": steps(20)}),
        ("scaffold", {"client_lr": [1.0], "server_lr": [1.0]}, {"work": steps(20)}),
        ("fedpd", {"client_lr": [0.3], "eta": [1.0], "skip": [0.0]}, {"work": steps(20)}),
        ("feddyn", {"alpha": [1.0]}, solving(50)),
    ],
)
def test_no_method_reaches_more_than_a_link_in_a_round(chain, algorithm, hyperparameters, options):
    """However a client solves its problem, and however the server combines what it gets."""
    found = path(simulate(chain, algorithm, hyperparameters, problem={"name": "chain"}, **options), LINKS + 1)[:, 0]
    reached = PROBLEM.model_metrics(tf.constant(found))["links_reached"].numpy()
    assert (reached <= np.arange(1, LINKS + 2)).all()
    assert reached[-1] > 1
