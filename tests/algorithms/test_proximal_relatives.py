"""Exact tests of the relatives of FedPD: FedDR and FedDyn, FedProx, and FedAvg with its steps."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("tensorflow")

from algorithms.quadratics import SIZES, START, clients, gradients, prox, solution
from algorithms.rounds import SOLVED, path, solving, steps
from algorithms.states import of_clients, place
from simulating import grid, params_after, simulate, soft

from fedatlas.federated.batches import LocalWork

ETAS = (0.1, 0.4)
EXACT = solving(150)
EPOCH = LocalWork(batch_size=3, epochs=2)


def consensus_admm(store, eta, rounds):
    """z of ADMM for min (1/N) sum_i f_i(x_i) with x_i = z, in the order z, x, dual; [rounds, d] after the start."""
    x, dual, found = np.tile(START, (len(SIZES), 1)), 0.0, []
    for _ in range(rounds + 1):
        z = (x + eta * dual).mean(0)
        x = prox(store, z - eta * dual, 1 / eta)
        dual = dual + (x - z) / eta
        found.append(z)
    return np.array(found[1:])


@pytest.mark.parametrize(
    ("algorithm", "hyperparameters"),
    [
        ("fedpd_exact", {"eta": ETAS, "skip": [0.0, 0.0]}),
        ("feddr", {"eta": ETAS, "alpha": [1.0, 1.0]}),
        ("feddyn", {"alpha": [1 / eta for eta in ETAS]}),
    ],
)
def test_with_exact_solutions_it_is_consensus_admm(four, algorithm, hyperparameters):
    found = path(simulate(four, algorithm, hyperparameters, start=START, **EXACT), 8)
    expected = np.stack([consensus_admm(four, eta, 8) for eta in ETAS], 1)
    np.testing.assert_allclose(found, expected, rtol=0, atol=SOLVED)


@pytest.mark.parametrize("cohort", [4, 2])
def test_feddyn_stays_at_the_solution(four, cohort):
    w = solution(four)
    simulation = simulate(four, "feddyn", {"alpha": [5.0]}, cohort=cohort, **EXACT)
    place(simulation, [w, np.zeros(4)], [gradients(four, w)])
    np.testing.assert_allclose(path(simulation, 3), np.tile(w, (3, 1, 1)), rtol=0, atol=SOLVED)


def test_feddyn_by_hand_with_half_of_the_clients(four):
    """Acar et al., Algorithm 1: h moves by what those who take part sum up to, over all clients."""
    alpha, theta, h, gradient, pairs = 5.0, START, np.zeros(4), np.zeros((4, 4)), set()
    simulation = simulate(four, "feddyn", {"alpha": [alpha]}, cohort=2, start=START, **EXACT)
    for _ in range(6):
        part = sorted(simulation.next_cohort())
        delta = prox(four, theta, alpha, linear=-gradient)[part] - theta
        gradient[part] -= alpha * delta
        h = h - alpha * delta.sum(0) / len(SIZES)
        theta = theta + delta.mean(0) - h / alpha
        np.testing.assert_allclose(path(simulation, 1)[0, 0], theta, rtol=0, atol=SOLVED)
        np.testing.assert_allclose(of_clients(simulation)[0], gradient, rtol=0, atol=SOLVED)
        pairs.add(tuple(part))
    assert {len(pair) for pair in pairs} == {2} and len(pairs) > 1


def composite_solution(store, strength):
    """argmin of the mean objective + strength ||kernel||_1, by the proximal gradient method until it stands still."""
    curvature, slope = (np.mean(parts, 0) for parts in zip(*clients(store), strict=True))
    w = np.zeros(4)
    for _ in range(20000):
        w = soft(w - 0.04 * (curvature @ w - slope), 0.04 * strength)
    return w


def feddr_by_hand(store, eta, alpha, strength, rounds):
    """xbar after every round: xhat = 2 x - y, xtilde is its mean, xbar = prox_{eta g}(xtilde)."""
    xbar, found = START, []
    x = y = np.tile(START, (len(SIZES), 1))
    for _ in range(rounds):
        y = y + alpha * (xbar - x)
        x = prox(store, y, 1 / eta)
        xbar = soft((2 * x - y).mean(0), eta * strength)
        found.append(xbar)
    return found


def test_feddr_by_hand(four):
    """Relaxed, and with a penalty at the server."""
    eta, strength, alphas = 0.3, 0.4, [0.7, 1.5, 2.0]
    penalty = {"name": "l1", "strength": strength}
    simulation = simulate(four, "feddr", {"eta": [eta] * 3, "alpha": alphas}, penalty=penalty, start=START, **EXACT)
    expected = np.stack([feddr_by_hand(four, eta, alpha, strength, 6) for alpha in alphas], 1)
    np.testing.assert_allclose(path(simulation, 6), expected, rtol=0, atol=SOLVED)


@pytest.mark.parametrize("strength", [0.0, 0.4])
def test_feddr_stays_at_the_solution(four, strength):
    w, eta, alphas = composite_solution(four, strength), ETAS[0], [1.5, 2.0]
    g = gradients(four, w)
    penalty = {"name": "l1", "strength": strength}
    simulation = simulate(four, "feddr", {"eta": [eta] * 2, "alpha": alphas}, penalty=penalty, **EXACT)
    place(simulation, [w, w - eta * g.mean(0)], [np.tile(w, (len(SIZES), 1)), w + eta * g])
    np.testing.assert_allclose(path(simulation, 3), np.tile(w, (3, 2, 1)), rtol=0, atol=SOLVED)


# ------------------------------------------------------------------------------------------------------- FedProx


def test_fedprox_averages_the_proximal_points_of_its_clients(four):
    w, expected = START, []
    for _ in range(6):
        w = prox(four, w, 2.5).mean(0)
        expected.append(w)
    found = path(simulate(four, "fedprox_exact", {"mu": [2.5]}, start=START, **EXACT), 6)
    np.testing.assert_allclose(found[:, 0], expected, rtol=0, atol=SOLVED)


def test_fedprox_does_not_stay_at_the_solution(four):
    """FedPD, section 3.3: it "fails to converge to the global stationary solution" where the clients disagree."""
    w = solution(four)
    moved = params_after(simulate(four, "fedprox_exact", {"mu": [2.5]}, start=w, **EXACT), 1)[0]
    np.testing.assert_allclose(moved, prox(four, w, 2.5).mean(0), rtol=0, atol=SOLVED)
    assert np.linalg.norm(moved - w) > 1e-6


def test_fedprox_without_its_term_is_federated_averaging(four):
    rates = grid("fedavg", [0.01, 0.03], [0.3, 1.0])
    fedavg = params_after(simulate(four, "fedavg", rates, work=EPOCH, cohort=3), 4)
    found = params_after(simulate(four, "fedprox", {**rates, "mu": [0.0] * 4}, work=EPOCH, cohort=3), 4)
    np.testing.assert_array_equal(found, fedavg)


@pytest.mark.parametrize("algorithm", ["fedprox", "fedprox_vr"])
def test_fedprox_by_hand(four, algorithm):
    """With full batches the recursive gradient is the gradient."""
    w, mu, client_lr, found = START, 2.5, 0.02, []
    for _ in range(4):
        local = np.tile(w, (len(SIZES), 1))
        for _ in range(3):
            local = local - client_lr * (gradients(four, local) + mu * (local - w))
        w = local.mean(0)
        found.append(w)
    constants = {"client_lr": [client_lr], "server_lr": [1.0], "mu": [mu]}
    simulation = simulate(four, algorithm, constants, start=START, work=steps(3))
    np.testing.assert_allclose(path(simulation, 4)[:, 0], found, rtol=0, atol=1e-10)


def test_with_a_warm_start_a_client_goes_on_where_it_ended(four):
    w, mu, client_lr, found = START, 2.5, 0.02, []
    local = np.tile(w, (len(SIZES), 1))
    for _ in range(4):
        for _ in range(3):
            local = local - client_lr * (gradients(four, local) + mu * (local - w))
        w = local.mean(0)
        found.append(w)
    constants = {"client_lr": [client_lr], "server_lr": [1.0], "mu": [mu]}
    simulation = simulate(four, "fedprox_vr_warm", constants, start=START, work=steps(3))
    np.testing.assert_allclose(path(simulation, 4)[:, 0], found, rtol=0, atol=1e-10)


def test_fedprox_vr_computes_the_full_gradient_when_a_round_begins(four):
    rates = {"client_lr": [0.01], "server_lr": [1.0], "mu": [1.0]}
    simulation = simulate(four, "fedprox_vr", rates, work=LocalWork(batch_size=2, steps=3))
    found = [simulation.advance().gradient_evaluations[0] for _ in range(3)]
    np.testing.assert_array_equal(found, [sum(SIZES) + len(SIZES) * 3 * 2 * 2] * 3)


def test_fedavg_decaying_by_hand(four):
    w, base, number, found = START, 0.02, 3, []
    for r in range(4):
        local = np.tile(w, (len(SIZES), 1))
        done = number * r
        for size in [base / np.sqrt(done / 5 + 1), *(base / (done + q) for q in (2, 3))]:
            local = local - size * gradients(four, local)
        w = local.mean(0)
        found.append(w)
    rates = {"client_lr": [base], "server_lr": [1.0]}
    simulation = simulate(four, "fedavg_decaying", rates, start=START, work=steps(number))
    np.testing.assert_allclose(path(simulation, 4)[:, 0], found, rtol=0, atol=1e-10)
