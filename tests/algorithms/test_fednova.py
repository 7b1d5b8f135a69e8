"""Exact tests of FedNova: its reduction to FedAvg, rounds by hand, and what it and FedAvg converge to."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("tensorflow")

from algorithms.quadratics import gradients
from algorithms.rounds import path
from simulating import grid, params_after, simulate, write_regression

from fedatlas.data.store import Feature, write_store
from fedatlas.federated.batches import LocalWork

SIZES = np.array([2, 4, 6, 3, 12])
TAU = np.array([2, 4, 6, 4, 12])  # two epochs with batches of two
TWO_EPOCHS = LocalWork(batch_size=2, epochs=2)
WEIGHTS = {"uniform": np.full(5, 1 / 5), "examples": SIZES / SIZES.sum()}
CENTRES = np.array([1.0, -2.0, 0.5, 3.0, -1.0])


def write_copies(path, x, y):
    """A store whose client i has SIZES[i] copies of the example (x_i, y_i): every batch has the same gradient."""
    clients = [(str(i), {"x": np.tile(x[i], (size, 1)), "y": np.full(size, y[i])}) for i, size in enumerate(SIZES)]
    features = [Feature("x", "float64", x.shape[1:]), Feature("y", "float64", ())]
    return write_store(
        path, name="copies", options={}, seed=0, kind="synthetic as in the paper", features=features,
        splits={"train": clients},
    )  # fmt: skip


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    x = np.random.default_rng(2).normal(size=(len(SIZES), 3))
    return write_copies(tmp_path_factory.mktemp("stores") / "copies", x, CENTRES)


@pytest.fixture(scope="module")
def parabolas(tmp_path_factory):
    """Equation (3) of the paper: F_i(x) = 1/2 (x - e_i)^2, with e_i the CENTRES."""
    return write_copies(tmp_path_factory.mktemp("stores") / "parabolas", np.ones((len(SIZES), 1)), CENTRES)


def test_with_equal_numbers_of_steps_it_is_federated_averaging(tmp_path):
    """To the bit with four steps: a division by a power of two does not round."""
    store, rates = write_regression(tmp_path / "ragged", [8, 12, 9, 10]), grid("fednova", [0.01, 0.03], [0.3, 1.0])
    options = {"work": LocalWork(batch_size=3, steps=4), "cohort": 3}
    fedavg = params_after(simulate(store, "fedavg", rates, **options), 4)
    np.testing.assert_array_equal(params_after(simulate(store, "fednova", rates, **options), 4), fedavg)


@pytest.mark.parametrize("weighting", WEIGHTS)
def test_rounds_by_hand(copies, weighting):
    p, client_lr, server_lr, x, found = WEIGHTS[weighting], 0.02, 0.7, np.zeros(4), []
    for _ in range(3):
        local = np.tile(x, (len(SIZES), 1))
        for k in range(TAU.max()):
            local -= client_lr * (k < TAU)[:, None] * gradients(copies, local)
        x = x + server_lr * (p @ TAU) * (p @ ((local - x) / TAU[:, None]))
        found.append(x)
    rates = grid("fednova", [client_lr], [server_lr])
    simulation = simulate(copies, "fednova", rates, work=TWO_EPOCHS, weighting=weighting)
    np.testing.assert_allclose(path(simulation, 3)[:, 0], found, rtol=0, atol=1e-12)


@pytest.mark.parametrize("weighting", WEIGHTS)
def test_it_minimises_the_weighted_sum_where_federated_averaging_minimises_another(parabolas, weighting):
    """Lemma 1 of the paper, with the rate at which local steps still matter, and with one at which they do not.

    tau steps from x lead to x + pull (e_i - x), pull = 1 - (1 - eta)^tau. So a round is x + rate (fixed - x) with the
    rate and the fixed point below, and with 1 / rate as server rate the first round already arrives.
    """
    p, eta = WEIGHTS[weighting], np.array([0.2, 1e-7])
    pull = -np.expm1(TAU * np.log1p(-eta[:, None]))  # [2, clients]
    shares = {"fedavg": p * pull, "fednova": (p @ TAU) * p * pull / TAU}
    true, surrogate = p @ CENTRES, (p * TAU) @ CENTRES / (p @ TAU)
    assert abs(true - surrogate) > 0.2
    found = {}
    for algorithm, share in shares.items():
        rate = share.sum(1)
        rates = {"client_lr": eta, "server_lr": 1 / rate}
        simulation = simulate(
            parabolas, algorithm, rates, work=TWO_EPOCHS, weighting=weighting, problem={"name": "least_squares"}
        )
        points = path(simulation, 2)[..., 0]
        # A step eta (e_i - x) is rounded as x is; the server rate makes that 1 / eta larger.
        expected = np.tile(share @ CENTRES / rate, (2, 1))
        np.testing.assert_allclose(points[:, 0], expected[:, 0], rtol=0, atol=1e-14)
        np.testing.assert_allclose(points[:, 1], expected[:, 1], rtol=0, atol=1e-7)
        found[algorithm] = points[-1]
    # pull / tau = eta (1 - (tau - 1) eta / 2 + ...): what is left of local steps is at most this far away.
    left = eta[1] * (TAU.max() - 1) * np.ptp(CENTRES)
    assert abs(found["fednova"][1] - true) < left < 1e-5
    assert abs(found["fedavg"][1] - surrogate) < left
