"""L2GD: a shared coin decides between a step of every client and one towards the mean."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("tensorflow")

from algorithms.quadratics import SIZES, START, clients, gradients
from algorithms.rounds import SOLVED, steps
from algorithms.states import of_clients, place
from simulating import params_after, simulate


def l2gd(client_lr, strength, probability):
    return {"client_lr": [client_lr], "strength": [strength], "probability": [probability]}


def test_l2gd_is_a_step_of_every_client_or_towards_the_mean(four):
    """As the shared coin falls, and only then it costs communication."""
    rate, strength, p = 0.03, 2.0, 0.4
    simulation = simulate(four, "l2gd", l2gd(rate, strength, p), start=START)
    own, heads = np.tile(START, (len(SIZES), 1)), []
    for _ in range(30):
        heads.append(int(simulation.advance().communications[0]))
        if heads[-1]:
            own = own - rate * (1 - p) * strength / p * (own - own.mean(0))
        else:
            own = own - rate * gradients(four, own)
        np.testing.assert_allclose(of_clients(simulation)[0], own, rtol=0, atol=1e-12)
    np.testing.assert_allclose(simulation.measure().params[0], own.mean(0), rtol=0, atol=1e-12)
    assert 0 < sum(heads) < 30


def test_l2gd_has_no_tendency_to_leave_the_minimum_of_the_penalised_problem(four):
    """At the minimum of sum_i f_i(x_i) + strength/2 ||x_i - mean||^2 the mean step, over the coin, is zero."""
    strength, p, size, dim = 2.0, 0.3, len(SIZES), 4
    system, right = np.zeros((size * dim, size * dim)), np.concatenate([b for _, b in clients(four)])
    for i, (h, _) in enumerate(clients(four)):
        system[i * dim : (i + 1) * dim, i * dim : (i + 1) * dim] = h
    system += strength * np.kron(np.eye(size) - 1 / size, np.eye(dim))
    minimum, moved = np.linalg.solve(system, right).reshape(size, dim), {}
    simulation = simulate(four, "l2gd", l2gd(0.01, strength, p))
    while len(moved) < 2:
        place(simulation, [minimum.mean(0)], [minimum])
        heads = int(simulation.advance().communications[0])
        moved[heads] = of_clients(simulation)[0] - minimum
    np.testing.assert_allclose(p * moved[1] + (1 - p) * moved[0], 0, rtol=0, atol=SOLVED)
    assert np.abs(moved[1]).max() > 1e6 * SOLVED


def test_l2gd_without_its_term_trains_every_client_alone(four):
    """Of the rounds whose coin shows tails."""
    simulation = simulate(four, "l2gd", l2gd(0.03, 0.0, 0.4), start=START, work=steps(2))
    tails = sum(1 - int(simulation.advance().communications[0]) for _ in range(12))
    alone = simulate(four, "local_only", {"client_lr": [0.03]}, start=START, work=steps(2))
    params_after(alone, tails)
    np.testing.assert_allclose(of_clients(simulation)[0], of_clients(alone)[0], rtol=0, atol=SOLVED)
