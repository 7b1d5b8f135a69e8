"""Exact tests of DualFL whose local solver stops at the gap of eqs. 8 and 9: that it keeps it, its cost, its limit."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from algorithms.rounds import followed, solving, steps
from algorithms.states import of_clients
from simulating import params_after, simulate, write_classes, write_regression

from fedatlas.algorithms.base import Population
from fedatlas.algorithms.dualfl_gap import DualFLByGap, Message
from fedatlas.errors import AtlasError
from fedatlas.federated.solvers import Solver

MU, GAMMA, CLIENTS, RHO = 0.1, 0.1, 3, 0.04
OPTIONS = {
    "problem": {"name": "hinge", "mu": MU},
    "penalty": {"name": "zero"},
    "work": steps(0),
    "solver": Solver(tolerance=1e-13, most_iterations=20_000),
}
RATES = {"rho": [0.0], "nu": [MU]}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return write_classes(tmp_path_factory.mktemp("stores") / "labels", {"train": [20] * CLIENTS}, classes=2)


def by_gap(store, gamma=GAMMA):
    return simulate(store, "dualfl_gap", RATES | {"gamma": [gamma]}, **OPTIONS)


def test_every_client_is_as_near_its_minimum_as_equation_8_asks(store):
    simulation = by_gap(store)
    for n in range(8):
        simulation.advance()
        assert_near(store, simulation, 1 / (CLIENTS * MU * (n + 1) ** (4 + GAMMA)))


def test_every_client_is_as_near_its_minimum_as_equation_9_asks(store):
    """With rho = 0.04, of which the root is 0.2."""
    options = OPTIONS | {"problem": {"name": "hinge", "mu": MU, "smoothing": 1.0}}
    simulation = simulate(store, "dualfl_gap", {"rho": [RHO], "nu": [MU], "gamma": [GAMMA]}, **options)
    for n in range(8):
        simulation.advance()
        assert_near(store, simulation, (0.8 / (1 + GAMMA)) ** n / CLIENTS, smoothing=1.0)


@pytest.mark.parametrize(
    ("rho", "gap"), [(RHO, lambda n: (0.8 / 1.1) ** n / 3), (0.0, lambda n: 1 / (3 * MU * (n + 1) ** 4.1))]
)
def test_the_gap_is_that_of_its_equation(rho, gap):
    """(9) where rho is above 0, (8) where it is 0."""
    scalars = (tf.constant([[[value]]], tf.float64) for value in (rho, MU, GAMMA))
    algorithm = DualFLByGap(*scalars, population=Population(clients=CLIENTS, most_examples=20))
    for n in range(5):
        message = Message(None, None, epoch=tf.constant([[[float(n)]]], tf.float64))
        np.testing.assert_allclose(algorithm.gap(message), [[[gap(n)]]], rtol=1e-12)


def assert_near(store, simulation, gap, smoothing=0.0):
    params, dual, _ = of_clients(simulation)
    for j in range(CLIENTS):
        z = signed(store, j)
        least = energy(z, dual[j], minimiser(z, dual[j], smoothing), smoothing)
        assert -1e-12 <= energy(z, dual[j], params[j], smoothing) - least <= gap


def signed(store, j):
    """s (x, 1) of the examples of a client, [examples, d]."""
    arrays = store.read("train", j)
    x = np.column_stack([arrays["x"].reshape(len(arrays["y"]), -1), np.ones(len(arrays["y"]))])
    return (2 * arrays["y"][:, None] - 1) * x


def energy(z, dual, u, smoothing):
    """E^(n,j) of eq. 2."""
    slack = np.maximum(1 - z @ u, 0)
    if smoothing:
        slack = np.where(slack < smoothing, slack**2 / (2 * smoothing), slack - smoothing / 2)
    return slack.mean() + MU / 2 * u @ u - MU * dual @ u


def minimiser(z, dual, smoothing):
    """argmin of eq. 2, by FISTA on its dual problem with so many steps that nothing is left of the gap."""
    n, a, t = len(z), np.zeros(len(z)), 1.0
    step, ahead = 1 / (np.linalg.eigvalsh(z @ z.T)[-1] / (MU * n**2) + smoothing / n), a
    for _ in range(5000):
        margins = z @ (dual + z.T @ ahead / (n * MU))
        new = np.clip(ahead + step / n * (1 - smoothing * ahead - margins), 0, 1)
        longer = (1 + np.sqrt(1 + 4 * t**2)) / 2
        ahead, a, t = new + (t - 1) / longer * (new - a), new, longer
    return dual + z.T @ a / (n * MU)


def test_it_comes_to_the_same_solution_for_less(store):
    exact, dear = followed(simulate(store, "dualfl", RATES, **OPTIONS), 200)
    found, cheap = followed(by_gap(store), 200)
    pooled = params_after(simulate(store, "centralized_exact", {"strength": [0.0]}, **OPTIONS), 1)[0]
    np.testing.assert_allclose(exact[-1, 0], pooled, atol=1e-4)
    np.testing.assert_allclose(found[-1, 0], pooled, atol=1e-4)
    assert spent(cheap[:20]) < spent(dear[:20])


def spent(costs):
    return sum(float(np.sum(cost.gradient_evaluations)) for cost in costs)


def test_where_no_gap_is_known_it_is_one_sentence(tmp_path):
    store = write_regression(tmp_path / "equal", [10] * CLIENTS, shape=(3,))
    simulation = simulate(store, "dualfl_gap", RATES | {"gamma": [GAMMA]}, **solving(5))
    with pytest.raises(AtlasError, match="the primal-dual gap of this problem is not known"):
        simulation.advance()
