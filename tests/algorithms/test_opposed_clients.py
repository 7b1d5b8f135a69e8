"""FedPD, Claim 2.2: on f_1(w) = w^2 and f_2(w) = -w^2 FedAvg diverges and FedPD does not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tensorflow")

from algorithms.rounds import SOLVED, path, solving, steps
from simulating import simulate

from fedatlas.data.datasets.quadratic import Quadratic

CURVATURE = 2.0  # L, of both


@pytest.fixture(scope="module")
def opposed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stores")
    return Quadratic().write(folder / "opposed", Path(folder), 0, "quadratic", {})


def from_one(opposed, algorithm, hyperparameters, **options):
    problem = {"name": "quadratic", "start": 1.0}
    return simulate(opposed, algorithm, hyperparameters, problem=problem, **options)


@pytest.mark.parametrize("number", [1, 2, 8])
def test_fedavg_diverges_with_any_constant_step_and_more_than_one_local_step(opposed, number):
    sizes = np.array([0.001, 0.05, 0.4])
    rates = {"client_lr": sizes, "server_lr": [1.0] * 3}
    found = path(from_one(opposed, "fedavg", rates, work=steps(number)), 30)[..., 0]
    growth = ((1 - CURVATURE * sizes) ** number + (1 + CURVATURE * sizes) ** number) / 2
    np.testing.assert_allclose(found, growth ** np.arange(1, 31)[:, None], rtol=1e-10)
    assert np.all(growth > 1) if number > 1 else np.allclose(growth, 1)


def by_hand(oracle, eta, rounds):
    """FedPD without skipping on the two clients, [rounds]."""
    x, dual, z, found = np.ones(2), np.zeros(2), 1.0, []
    for _ in range(rounds):
        x = oracle(x, z, dual)
        dual = dual + (x - z) / eta
        z = (x + eta * dual).mean()
        found.append(z)
    return np.array(found)


@pytest.mark.parametrize("exact", [True, False])
def test_fedpd_does_not(opposed, exact):
    """With a step within Theorem 1's bound (sqrt(5) - 1) / (4 L); the clients come to agree."""
    eta, slopes, rounds = 0.9 * (np.sqrt(5) - 1) / (4 * CURVATURE), np.array([CURVATURE, -CURVATURE]), 30

    def solve(x, z, dual):
        return (z / eta - dual) / (slopes + 1 / eta)

    def descend(x, z, dual):
        for _ in range(8):
            x = x - eta / 4 * (slopes * x + dual + (x - z) / eta)
        return x

    sweep = {"eta": [eta], "skip": [0.0]} | ({} if exact else {"client_lr": [eta / 4]})
    options = solving(60) if exact else {"work": steps(8)}
    simulation = from_one(opposed, "fedpd_exact" if exact else "fedpd", sweep, **options)
    found = path(simulation, rounds)[:, 0, 0]
    np.testing.assert_allclose(found, by_hand(solve if exact else descend, eta, rounds), rtol=0, atol=SOLVED)
    np.testing.assert_allclose(simulation.clients.params[:, 0, 0], found[-1], rtol=0, atol=SOLVED)
    np.testing.assert_allclose(found[-1], found[-2], rtol=0, atol=SOLVED)
