"""Exact tests of the algorithms of FedPD and of its relatives: reductions, fixed points, rounds by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tensorflow")

from algorithms.quadratics import clients, gradients, prox, solution
from simulating import grid, params_after, simulate, soft, write_regression

from fedatlas.data.datasets.quadratic import Quadratic
from fedatlas.federated import engines
from fedatlas.federated.batches import LocalWork
from fedatlas.federated.solvers import Solver

SIZES = [8, 12, 9, 10]
START = np.array([0.5, -1.0, 0.2, 0.3])
EXACT = {"work": LocalWork(batch_size=None, steps=0), "solver": Solver(tolerance=0, most_iterations=120)}
RESOLVED = 1e-8  # the solver compares values, whose rounding hides a change of a point by less than its square root
EPOCH = LocalWork(batch_size=3, epochs=2)
ETA = 0.1


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return write_regression(tmp_path_factory.mktemp("stores") / "four", SIZES, shape=(3,))


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    return write_regression(tmp_path_factory.mktemp("stores") / "one", [8], shape=(3,))


@pytest.fixture(autouse=True)
def in_process():
    engines.install("inprocess", 1)


@pytest.fixture(params=["inprocess", "native"])
def engine(request, in_process):
    engines.install(request.param, 1)


def steps(number):
    return LocalWork(batch_size=None, steps=number)


def path(simulation, rounds):
    """The reported models after 1, 2, ... rounds, [rounds, G, d]."""
    return np.array([params_after(simulation, 1) for _ in range(rounds)])


# ------------------------------------------------------------------------------------------ exact local solutions


def consensus_admm(store, eta, rounds):
    """z of ADMM for min (1/N) sum_i f_i(x_i) with x_i = z, in the order z, x, dual; [rounds, d] after the start."""
    x, dual, found = np.tile(START, (len(store.sizes("train")), 1)), 0.0, []
    for _ in range(rounds + 1):
        z = (x + eta * dual).mean(0)
        x = prox(store, z - eta * dual, 1 / eta)
        dual = dual + (x - z) / eta
        found.append(z)
    return np.array(found[1:])


@pytest.mark.parametrize(
    ("algorithm", "hyperparameters"),
    [
        ("fedpd_exact", {"eta": [ETA, 1.0], "skip": [0.0, 0.0]}),
        ("feddr", {"eta": [ETA, 1.0], "alpha": [1.0, 1.0]}),
        ("feddyn", {"alpha": [1 / ETA, 1.0]}),
    ],
)
def test_with_exact_solutions_it_is_consensus_admm(store, engine, algorithm, hyperparameters):
    found = path(simulate(store, algorithm, hyperparameters, start=START, **EXACT), 8)
    expected = np.stack([consensus_admm(store, eta, 8) for eta in (ETA, 1.0)], 1)
    np.testing.assert_allclose(found, expected, rtol=0, atol=RESOLVED)


def test_with_one_client_fedpd_reflects_the_proximal_point_method(alone):
    y, expected = START, []
    for _ in range(6):
        nearest = prox(alone, y, 1 / ETA)[0]
        expected.append(2 * nearest - y)
        y = nearest
    found = path(simulate(alone, "fedpd_exact", {"eta": [ETA], "skip": [0.0]}, start=START, **EXACT), 6)
    np.testing.assert_allclose(found[:, 0], expected, rtol=0, atol=RESOLVED)


def test_fedprox_averages_the_proximal_points_of_its_clients(store):
    w, expected = START, []
    for _ in range(6):
        w = prox(store, w, 2.5).mean(0)
        expected.append(w)
    found = path(simulate(store, "fedprox_exact", {"mu": [2.5]}, start=START, **EXACT), 6)
    np.testing.assert_allclose(found[:, 0], expected, rtol=0, atol=RESOLVED)


def test_fedprox_does_not_stay_at_the_solution(store):
    """Section 3.3: FedProx "fails to converge to the global stationary solution" where the clients disagree."""
    w = solution(store)
    moved = params_after(simulate(store, "fedprox_exact", {"mu": [2.5]}, start=w, **EXACT), 1)[0]
    np.testing.assert_allclose(moved, prox(store, w, 2.5).mean(0), rtol=0, atol=RESOLVED)
    assert np.linalg.norm(moved - w) > 100 * RESOLVED


# ------------------------------------------------------------------------------------------------- fixed points


def placed(simulation, server, clients):
    """The simulation with these arrays in its states: server's [d], clients' [N, d] or a number, for its only sweep."""
    state = simulation.state.server
    simulation.state = simulation.state._replace(
        server=state._replace(**{name: np.broadcast_to(a, getattr(state, name).shape) for name, a in server.items()})
    )
    simulation.clients = simulation.clients._replace(
        **{
            name: np.broadcast_to(np.asarray(a)[..., None, :], getattr(simulation.clients, name).shape).copy()
            for name, a in clients.items()
        }
    )
    return simulation


def primal_dual(store):
    """theta* and the clients' gradients there, [d] and [N, d]."""
    return solution(store), gradients(store, solution(store))


@pytest.mark.parametrize(
    ("algorithm", "hyperparameters", "options", "more"),
    [
        ("fedpd_exact", {}, EXACT, ()),
        ("fedpd", {"client_lr": [0.02]}, {"work": steps(3)}, ()),
        ("fedpd_vr", {"gamma": [0.03], "period": [5]}, {"work": steps(3)}, ("gradient", "round")),
    ],
)
def test_fedpd_stays_at_the_solution(store, engine, algorithm, hyperparameters, options, more):
    w, g = primal_dual(store)
    known = {"params": w, "proposal": w - ETA * g, "dual": -g, "gradient": g, "round": [1.0]}
    simulation = simulate(store, algorithm, {"eta": [ETA], "skip": [0.0], **hyperparameters}, **options)
    placed(
        simulation, {"params": w, "round": 1.0}, {name: known[name] for name in ("params", "proposal", "dual", *more)}
    )
    np.testing.assert_allclose(path(simulation, 3), np.tile(w, (3, 1, 1)), rtol=0, atol=RESOLVED)


def test_without_its_duals_fedpd_leaves_the_solution(store):
    w = solution(store)
    simulation = simulate(store, "fedpd", {"eta": [ETA], "skip": [0.0], "client_lr": [0.02]}, start=w, work=steps(3))
    assert np.linalg.norm(params_after(simulation, 2)[0] - w) > 100 * RESOLVED


@pytest.mark.parametrize("cohort", [4, 2])
def test_feddyn_stays_at_the_solution(store, cohort):
    w, g = primal_dual(store)
    simulation = simulate(store, "feddyn", {"alpha": [5.0]}, cohort=cohort, **EXACT)
    placed(simulation, {"params": w, "drift": 0.0}, {"gradient": g})
    np.testing.assert_allclose(path(simulation, 3), np.tile(w, (3, 1, 1)), rtol=0, atol=RESOLVED)


def composite_solution(store, strength):
    """argmin of the mean objective + strength ||kernel||_1, by the proximal gradient method until it stands still."""
    curvature, slope = (np.mean(parts, 0) for parts in zip(*clients(store), strict=True))
    w = np.zeros(4)
    for _ in range(20000):
        w = soft(w - 0.04 * (curvature @ w - slope), 0.04 * strength)
    return w


@pytest.mark.parametrize("strength", [0.0, 0.4])
def test_feddr_stays_at_the_solution(store, strength):
    w = composite_solution(store, strength)
    g = gradients(store, w)
    penalty = {"name": "l1", "strength": strength}
    simulation = simulate(store, "feddr", {"eta": [ETA], "alpha": [1.5]}, penalty=penalty, **EXACT)
    placed(simulation, {"params": w, "centre": w - ETA * g.mean(0)}, {"params": w, "shifted": w + ETA * g})
    np.testing.assert_allclose(path(simulation, 3), np.tile(w, (3, 1, 1)), rtol=0, atol=RESOLVED)


# -------------------------------------------------------------------------------------------- FedPD, round by round


def fedpd_by_hand(store, communicated, oracle):
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


def followed(simulation, rounds):
    """The reported models [rounds, G, d] and the costs of each round."""
    models, costs = [], []
    for _ in range(rounds):
        costs.append(simulation.advance())
        models.append(simulation.measure().params)
    return np.array(models), costs


def test_fedpd_by_hand_with_and_without_skipping(store, engine):
    sweep = {"eta": [ETA, ETA], "skip": [0.0, 0.5], "client_lr": [0.02, 0.02]}
    found, costs = followed(simulate(store, "fedpd", sweep, start=START, work=steps(3)), 12)
    travels = np.array([cost.communications for cost in costs])
    assert travels[:, 0].all() and 0 < travels[1:, 1].sum() < 11  # the second is a test only if it has both
    for configuration in range(2):
        expected = fedpd_by_hand(store, travels[:, configuration], descend(store, [0.02] * 3))
        np.testing.assert_allclose(found[:, configuration], expected, rtol=0, atol=1e-10)


def test_fedpd_skips_as_often_as_it_is_told_and_then_sends_nothing(store):
    rounds, skip = 150, np.array([0.0, 0.25, 0.5, 0.9])
    simulation = simulate(store, "fedpd", {"eta": [ETA] * 4, "skip": skip, "client_lr": [0.02] * 4})
    costs = [simulation.advance() for _ in range(rounds)]
    travels = np.array([cost.communications for cost in costs])
    assert travels[0].all()
    assert np.all(np.diff(travels, axis=1) <= 0)  # one coin for all: who skips less communicates whenever others do
    share, sigma = travels[1:].mean(0), np.sqrt(skip * (1 - skip) / (rounds - 1))
    assert np.all(np.abs(share - (1 - skip)) <= 4 * sigma)
    numbers = 8 * len(SIZES) * travels  # of float64
    np.testing.assert_array_equal([cost.bytes_up for cost in costs], numbers * 4)  # x_{0,i}^+
    np.testing.assert_array_equal([cost.bytes_down for cost in costs], numbers * 5)  # x_0 and whether it is sent


def test_fedpd_exact_by_hand_with_skipping(store):
    simulation = simulate(store, "fedpd_exact", {"eta": [ETA], "skip": [0.5]}, start=START, **EXACT)
    found, costs = followed(simulation, 8)
    travels = [cost.communications[0] for cost in costs]
    expected = fedpd_by_hand(store, travels, lambda x, anchor, dual: prox(store, anchor, 1 / ETA, linear=dual))
    assert 0 < sum(travels[1:]) < 7
    np.testing.assert_allclose(found[:, 0], expected, rtol=0, atol=RESOLVED)


def test_fedpd_diminishing_skips_with_a_falling_probability(store):
    """After round r it communicates where FedPD with p = 1 - r / T does, whose coin is the same."""
    horizon, rounds = 10.0, 13
    skip = np.maximum(1 - np.arange(rounds) / horizon, 0)
    skip[0] = 0  # the first model reaches everybody
    options = {"eta": [ETA] * rounds, "client_lr": [0.02] * rounds}
    travels = np.array(
        [c.communications for c in followed(simulate(store, "fedpd", {**options, "skip": skip}), rounds)[1]]
    )
    falling = {"eta": [ETA], "client_lr": [0.02], "horizon": [horizon]}
    found, costs = followed(simulate(store, "fedpd_diminishing", falling, start=START), rounds)
    communicated = [cost.communications[0] for cost in costs]
    np.testing.assert_array_equal(communicated, np.diag(travels))
    assert 0 in communicated
    expected = fedpd_by_hand(store, communicated, descend(store, [0.02]))
    np.testing.assert_allclose(found[:, 0], expected, rtol=0, atol=1e-10)


def test_fedpd_decaying_by_hand(store):
    x, dual, z, found = np.tile(START, (len(SIZES), 1)), 0.0, START, []
    for r in range(4):
        x = descend(store, [0.04 / np.sqrt(3 * r / 5 + q) for q in (1, 2, 3)])(x, z, dual)
        dual = dual + (x - z) / ETA
        z = (x + ETA * dual).mean(0)
        found.append(z)
    constants = {"eta": [ETA], "skip": [0.0], "client_lr": [0.04]}
    simulation = simulate(store, "fedpd_decaying", constants, start=START, work=steps(3))
    np.testing.assert_allclose(path(simulation, 4)[:, 0], found, rtol=0, atol=1e-10)


# ------------------------------------------------------------------------------------------------------ Oracle II


def linearised(store, gamma, number):
    """Oracle II with full gradients: `number` steps of linearised ADMM."""

    def oracle(x, anchor, dual):
        for _ in range(number):
            x = (x / gamma + anchor / ETA - gradients(store, x) - dual) / (1 / gamma + 1 / ETA)
        return x

    return oracle


def test_oracle_two_with_full_batches_is_linearised_admm(store, engine):
    """With full batches the recursion keeps the gradient exact, so that computing it anew changes nothing."""
    sweep = {"eta": [ETA, ETA], "skip": [0.0, 0.0], "gamma": [0.03, 0.03], "period": [1, 100]}
    found = path(simulate(store, "fedpd_vr", sweep, start=START, work=steps(3)), 6)
    expected = fedpd_by_hand(store, [True] * 6, linearised(store, 0.03, 3))
    np.testing.assert_allclose(found, np.stack([expected, expected], 1), rtol=0, atol=1e-10)


def test_the_limit_of_oracle_two_is_a_gradient_step_of_eta(store):
    """gamma -> infinity with one step: x = x_{0,i} - eta (g + lambda_i), which the authors' code runs."""
    limit = {"eta": [ETA], "skip": [0.0], "gamma": [1e15], "period": [1]}
    found = path(simulate(store, "fedpd_vr", limit, start=START), 6)
    step = fedpd_by_hand(store, [True] * 6, lambda x, anchor, dual: anchor - ETA * (gradients(store, x) + dual))
    np.testing.assert_allclose(found[:, 0], step, rtol=0, atol=1e-10)
    gd = path(simulate(store, "fedpd", {"eta": [ETA], "skip": [0.0], "client_lr": [ETA]}, start=START), 6)
    np.testing.assert_allclose(found, gd, rtol=0, atol=1e-10)


def test_oracle_two_computes_the_full_gradient_every_period_rounds(store):
    """A step evaluates two gradients on each of its examples; a full gradient one on every example."""
    work, hyperparameters = LocalWork(batch_size=2, steps=3), {"eta": [ETA], "skip": [0.0], "gamma": [0.03]}
    costs = followed(simulate(store, "fedpd_vr", {**hyperparameters, "period": [3]}, work=work), 7)[1]
    inner = len(SIZES) * 3 * 2 * 2
    expected = [inner + (sum(SIZES) if r % 3 == 0 else 0) for r in range(7)]
    np.testing.assert_array_equal([cost.gradient_evaluations[0] for cost in costs], expected)


def test_oracle_two_goes_on_from_the_last_recursive_gradient(tmp_path):
    """Batches of one example of a client whose examples are all alike: every recursion is exact."""
    alike = write_regression(tmp_path / "alike", [1, 1, 1, 1], shape=(3,))
    constants = {"eta": [ETA, ETA], "skip": [0.0, 0.0], "gamma": [0.03, 0.03], "period": [1, 100]}
    found = path(simulate(alike, "fedpd_vr", constants, start=START, work=LocalWork(batch_size=1, steps=4)), 5)
    np.testing.assert_allclose(found[:, 0], found[:, 1], rtol=0, atol=1e-10)


# -------------------------------------------------------------------------------------------------- the baselines


def test_fedprox_without_its_term_is_federated_averaging(store, engine):
    rates = grid("fedavg", [0.01, 0.03], [0.3, 1.0])
    fedavg = params_after(simulate(store, "fedavg", rates, work=EPOCH, cohort=3), 4)
    found = params_after(simulate(store, "fedprox", {**rates, "mu": [0.0] * 4}, work=EPOCH, cohort=3), 4)
    np.testing.assert_array_equal(found, fedavg)


@pytest.mark.parametrize("algorithm", ["fedprox", "fedprox_vr"])
def test_fedprox_by_hand(store, algorithm):
    """With full batches the recursive gradient is the gradient."""
    w, mu, client_lr, found = START, 2.5, 0.02, []
    for _ in range(4):
        local = np.tile(w, (len(SIZES), 1))
        for _ in range(3):
            local = local - client_lr * (gradients(store, local) + mu * (local - w))
        w = local.mean(0)
        found.append(w)
    constants = {"client_lr": [client_lr], "server_lr": [1.0], "mu": [mu]}
    simulation = simulate(store, algorithm, constants, start=START, work=steps(3))
    np.testing.assert_allclose(path(simulation, 4)[:, 0], found, rtol=0, atol=1e-10)


def test_fedprox_vr_computes_the_full_gradient_when_a_round_begins(store):
    rates = {"client_lr": [0.01], "server_lr": [1.0], "mu": [1.0]}
    costs = followed(simulate(store, "fedprox_vr", rates, work=LocalWork(batch_size=2, steps=3)), 3)[1]
    expected = sum(SIZES) + len(SIZES) * 3 * 2 * 2
    np.testing.assert_array_equal([cost.gradient_evaluations[0] for cost in costs], [expected] * 3)


def test_fedavg_decaying_by_hand(store):
    w, base, number, found = START, 0.02, 3, []
    for r in range(4):
        local = np.tile(w, (len(SIZES), 1))
        done = number * r
        for size in [base / np.sqrt(done / 5 + 1), *(base / (done + q) for q in (2, 3))]:
            local = local - size * gradients(store, local)
        w = local.mean(0)
        found.append(w)
    rates = {"client_lr": [base], "server_lr": [1.0]}
    simulation = simulate(store, "fedavg_decaying", rates, start=START, work=steps(number))
    np.testing.assert_allclose(path(simulation, 4)[:, 0], found, rtol=0, atol=1e-10)


# ------------------------------------------------------------------------- Claim 2.2: f_1(w) = w^2, f_2(w) = -w^2

CURVATURE = 2.0  # L, of both


@pytest.fixture(scope="module")
def opposed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stores")
    return Quadratic().write(folder / "opposed", Path(folder), 0, "quadratic", {})


def on_the_opposed(opposed, algorithm, hyperparameters, **options):
    problem = {"name": "quadratic", "start": 1.0}
    return simulate(opposed, algorithm, hyperparameters, problem=problem, **options)


@pytest.mark.parametrize("number", [1, 2, 8])
def test_fedavg_diverges_with_any_constant_step_and_more_than_one_local_step(opposed, number):
    sizes = np.array([0.001, 0.05, 0.4])
    rates = {"client_lr": sizes, "server_lr": [1.0] * 3}
    found = path(on_the_opposed(opposed, "fedavg", rates, work=steps(number)), 30)[..., 0]
    growth = ((1 - CURVATURE * sizes) ** number + (1 + CURVATURE * sizes) ** number) / 2
    np.testing.assert_allclose(found, growth ** np.arange(1, 31)[:, None], rtol=1e-10)
    assert np.all(growth > 1) if number > 1 else np.allclose(growth, 1)


def opposed_by_hand(oracle, eta, rounds):
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
    eta, slopes = 0.9 * (np.sqrt(5) - 1) / (4 * CURVATURE), np.array([CURVATURE, -CURVATURE])

    def solve(x, z, dual):
        return (z / eta - dual) / (slopes + 1 / eta)

    def descend(x, z, dual):
        for _ in range(8):
            x = x - eta / 4 * (slopes * x + dual + (x - z) / eta)
        return x

    sweep = {"eta": [eta], "skip": [0.0]} | ({} if exact else {"client_lr": [eta / 4]})
    options = EXACT if exact else {"work": steps(8)}
    simulation = on_the_opposed(opposed, "fedpd_exact" if exact else "fedpd", sweep, **options)
    found = path(simulation, 30)[:, 0, 0]
    np.testing.assert_allclose(found, opposed_by_hand(solve if exact else descend, eta, 30), rtol=0, atol=RESOLVED)
    np.testing.assert_allclose(simulation.clients.params[:, 0, 0], found[-1], rtol=0, atol=RESOLVED)
    np.testing.assert_allclose(found[-1], found[-2], rtol=0, atol=RESOLVED)
