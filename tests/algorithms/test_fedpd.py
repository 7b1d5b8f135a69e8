"""Exact tests of FedPD and its variants: reductions, fixed points, rounds by hand."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("tensorflow")

from algorithms.quadratics import SIZES, START, gradients, prox, solution
from algorithms.rounds import SOLVED, followed, path, solving, steps
from algorithms.states import place
from simulating import simulate, write_regression

from fedatlas.federated.batches import LocalWork

ETA = 0.1
EXACT = solving(150)


def test_with_one_client_it_reflects_the_proximal_point_method(tmp_path):
    alone = write_regression(tmp_path / "one", [8], shape=(3,))
    y, expected = START, []
    for _ in range(6):
        nearest = prox(alone, y, 1 / ETA)[0]
        expected.append(2 * nearest - y)
        y = nearest
    found = path(simulate(alone, "fedpd_exact", {"eta": [ETA], "skip": [0.0]}, start=START, **EXACT), 6)
    np.testing.assert_allclose(found[:, 0], expected, rtol=0, atol=SOLVED)


@pytest.mark.parametrize(
    ("algorithm", "hyperparameters", "options"),
    [
        ("fedpd_exact", {}, EXACT),
        ("fedpd", {"client_lr": [0.02]}, {"work": steps(3)}),
        ("fedpd_vr", {"gamma": [0.03], "period": [5]}, {"work": steps(3)}),
    ],
)
def test_it_stays_at_the_solution(four, algorithm, hyperparameters, options):
    w = solution(four)
    g = gradients(four, w)
    simulation = simulate(four, algorithm, {"eta": [ETA], "skip": [0.0], **hyperparameters}, **options)
    recursion = [g, np.ones((len(SIZES), 1))] if algorithm == "fedpd_vr" else []  # g_i and r
    place(simulation, [w, 1.0], [np.tile(w, (len(SIZES), 1)), w - ETA * g, -g, *recursion])
    np.testing.assert_allclose(path(simulation, 3), np.tile(w, (3, 1, 1)), rtol=0, atol=SOLVED)


def test_without_its_duals_it_leaves_the_solution(four):
    w = solution(four)
    simulation = simulate(four, "fedpd", {"eta": [ETA], "skip": [0.0], "client_lr": [0.02]}, start=w, work=steps(3))
    assert np.linalg.norm(path(simulation, 2)[-1, 0] - w) > 1e-6


def by_hand(store, communicated, oracle):
    """Algorithm 2, with whether the message of each round reached the clients, and an oracle (x_i, x_{0,i}, lambda_i).

    Returns:
        The mean of the x_{0,i} after every round, [rounds, d].
    """
    x, found = np.tile(START, (len(SIZES), 1)), []
    proposal, dual = x, 0 * x
    for travels in communicated:
        anchor = np.tile(proposal.mean(0), (len(SIZES), 1)) if travels else proposal
        x = oracle(x, anchor, dual)
        dual = dual + (x - anchor) / ETA
        proposal = x + ETA * dual
        found.append(proposal.mean(0))
    return np.array(found)


def descend(store, sizes):
    """Oracle I by full gradients, with these step sizes."""

    def oracle(x, anchor, dual):
        for size in sizes:
            x = x - size * (gradients(store, x) + dual + (x - anchor) / ETA)
        return x

    return oracle


def test_by_hand_with_and_without_skipping(four):
    sweep = {"eta": [ETA, ETA], "skip": [0.0, 0.5], "client_lr": [0.02, 0.02]}
    found, costs = followed(simulate(four, "fedpd", sweep, start=START, work=steps(3)), 12)
    travels = np.array([cost.communications for cost in costs])
    assert travels[:, 0].all() and 0 < travels[1:, 1].sum() < 11  # the second is a test only if it has both
    for configuration in range(2):
        expected = by_hand(four, travels[:, configuration], descend(four, [0.02] * 3))
        np.testing.assert_allclose(found[:, configuration], expected, rtol=0, atol=1e-10)


def test_exactly_by_hand_with_skipping(four):
    simulation = simulate(four, "fedpd_exact", {"eta": [ETA], "skip": [0.5]}, start=START, **EXACT)
    found, costs = followed(simulation, 8)
    travels = [cost.communications[0] for cost in costs]
    expected = by_hand(four, travels, lambda x, anchor, dual: prox(four, anchor, 1 / ETA, linear=dual))
    assert 0 < sum(travels[1:]) < 7
    np.testing.assert_allclose(found[:, 0], expected, rtol=0, atol=SOLVED)


@pytest.mark.engine  # which alone knows the bytes of a message
def test_it_skips_as_often_as_it_is_told_and_then_sends_nothing(four):
    rounds, skip = 150, np.array([0.0, 0.25, 0.5, 0.9])
    simulation = simulate(four, "fedpd", {"eta": [ETA] * 4, "skip": skip, "client_lr": [0.02] * 4})
    costs = [simulation.advance() for _ in range(rounds)]
    travels = np.array([cost.communications for cost in costs])
    assert travels[0].all()
    assert np.all(np.diff(travels, axis=1) <= 0)  # one coin for all: who skips less communicates whenever others do
    share, sigma = travels[1:].mean(0), np.sqrt(skip * (1 - skip) / (rounds - 1))
    assert np.all(np.abs(share - (1 - skip)) <= 4 * sigma)
    numbers = 8 * len(SIZES) * travels  # of float64
    np.testing.assert_array_equal([cost.bytes_up for cost in costs], numbers * 4)  # x_{0,i}^+
    np.testing.assert_array_equal([cost.bytes_down for cost in costs], numbers * 5)  # x_0 and whether it is sent


def test_the_diminishing_one_skips_with_a_falling_probability(four):
    """After round r it communicates where FedPD with p = 1 - r / T does, whose coin is the same."""
    horizon, rounds = 10.0, 13
    skip = np.maximum(1 - np.arange(rounds) / horizon, 0)
    skip[0] = 0  # the first model reaches everybody
    constant = simulate(four, "fedpd", {"eta": [ETA] * rounds, "client_lr": [0.02] * rounds, "skip": skip})
    travels = np.array([constant.advance().communications for _ in range(rounds)])
    falling = {"eta": [ETA], "client_lr": [0.02], "horizon": [horizon]}
    found, costs = followed(simulate(four, "fedpd_diminishing", falling, start=START), rounds)
    communicated = [cost.communications[0] for cost in costs]
    np.testing.assert_array_equal(communicated, np.diag(travels))
    assert 0 in communicated
    expected = by_hand(four, communicated, descend(four, [0.02]))
    np.testing.assert_allclose(found[:, 0], expected, rtol=0, atol=1e-10)


def test_the_decaying_one_by_hand(four):
    x, dual, z, found = np.tile(START, (len(SIZES), 1)), 0.0, START, []
    for r in range(4):
        x = descend(four, [0.04 / np.sqrt(3 * r / 5 + q) for q in (1, 2, 3)])(x, z, dual)
        dual = dual + (x - z) / ETA
        z = (x + ETA * dual).mean(0)
        found.append(z)
    constants = {"eta": [ETA], "skip": [0.0], "client_lr": [0.04]}
    simulation = simulate(four, "fedpd_decaying", constants, start=START, work=steps(3))
    np.testing.assert_allclose(path(simulation, 4)[:, 0], found, rtol=0, atol=1e-10)


# ------------------------------------------------------------------------------------------------------ Oracle II


def linearised(store, gamma, number):
    """Oracle II with full gradients: `number` steps of linearised ADMM."""

    def oracle(x, anchor, dual):
        for _ in range(number):
            x = (x / gamma + anchor / ETA - gradients(store, x) - dual) / (1 / gamma + 1 / ETA)
        return x

    return oracle


def test_oracle_two_with_full_batches_is_linearised_admm(four):
    """With full batches the recursion keeps the gradient exact, so that computing it anew changes nothing."""
    sweep = {"eta": [ETA, ETA], "skip": [0.0, 0.0], "gamma": [0.03, 0.03], "period": [1, 100]}
    found = path(simulate(four, "fedpd_vr", sweep, start=START, work=steps(3)), 6)
    expected = by_hand(four, [True] * 6, linearised(four, 0.03, 3))
    np.testing.assert_allclose(found, np.stack([expected, expected], 1), rtol=0, atol=1e-10)


def test_the_limit_of_oracle_two_is_a_gradient_step_of_eta(four):
    """gamma -> infinity with one step: x = x_{0,i} - eta (g + lambda_i), which the authors' code runs."""
    limit = {"eta": [ETA], "skip": [0.0], "gamma": [1e15], "period": [1]}
    found = path(simulate(four, "fedpd_vr", limit, start=START), 6)
    step = by_hand(four, [True] * 6, lambda x, anchor, dual: anchor - ETA * (gradients(four, x) + dual))
    np.testing.assert_allclose(found[:, 0], step, rtol=0, atol=1e-10)
    gd = path(simulate(four, "fedpd", {"eta": [ETA], "skip": [0.0], "client_lr": [ETA]}, start=START), 6)
    np.testing.assert_allclose(found, gd, rtol=0, atol=1e-10)


def test_oracle_two_computes_the_full_gradient_every_period_rounds(four):
    """A step evaluates two gradients on each of its examples; a full gradient one on every example."""
    work = LocalWork(batch_size=2, steps=3)
    hyperparameters = {"eta": [ETA], "skip": [0.0], "gamma": [0.03], "period": [3]}
    simulation = simulate(four, "fedpd_vr", hyperparameters, work=work)
    found = [simulation.advance().gradient_evaluations[0] for _ in range(7)]
    inner = len(SIZES) * 3 * 2 * 2
    np.testing.assert_array_equal(found, [inner + (sum(SIZES) if r % 3 == 0 else 0) for r in range(7)])


def test_oracle_two_goes_on_from_the_last_recursive_gradient(tmp_path):
    """Batches of one example of a client whose examples are all alike: every recursion is exact."""
    alike = write_regression(tmp_path / "alike", [1, 1, 1, 1], shape=(3,))
    constants = {"eta": [ETA, ETA], "skip": [0.0, 0.0], "gamma": [0.03, 0.03], "period": [1, 100]}
    found = path(simulate(alike, "fedpd_vr", constants, start=START, work=LocalWork(batch_size=1, steps=4)), 5)
    np.testing.assert_allclose(found[:, 0], found[:, 1], rtol=0, atol=1e-10)
