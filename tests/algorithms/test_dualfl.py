"""Exact tests of DualFL: duality with FISTA, fixed points, the rates of its theorems, problems without curvature."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from algorithms.classes import classes_by_hand, write_classes
from algorithms.quadratics import clients, convexity, gradients, prox, smoothness, solution
from algorithms.rounds import path, solving
from algorithms.states import of_clients, of_server, place
from simulating import params_after, simulate, write_regression
from simulating import write_classes as write_labels

from fedatlas.algorithms.dualfl import DualFL, Server, Update
from fedatlas.federated.solvers import Solver

SOLVING = solving(160)
D = 4


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return write_regression(tmp_path_factory.mktemp("stores") / "equal", [30, 30, 30, 30], shape=(D - 1,))


def momenta(rho, rounds):
    """t_0, ..., t_rounds and beta_0, ..., beta_(rounds-1) of eq. 5."""
    t, beta = [1.0], []
    for n in range(rounds):
        a = 1 - rho * t[n] ** 2
        t.append((a + np.sqrt(a**2 + 4 * t[n] ** 2)) / 2)
        beta.append((t[n] - 1) / t[n + 1] * (1 - t[n + 1] * rho) / (1 - rho))
    return t, beta


def fista(store, rho, nu, rounds):
    """Algorithm 2 on the dual problem (22), with g_j = f_j - nu/2 ||.||^2; xi^(n) [N, d] for n = 0, ..., rounds."""
    quadratics, (_, beta) = clients(store), momenta(rho, rounds)
    xi = [np.zeros((len(quadratics), D))]
    eta = xi[0]
    for n in range(rounds):
        ahead = eta - eta.mean(0)  # eta - nu grad F_d(eta)
        new = []
        for (h, b), v in zip(quadratics, ahead, strict=True):
            inverse = np.linalg.inv(h - nu * np.eye(D))  # g*(xi) = 1/2 (xi + b)' inverse (xi + b)
            new.append(np.linalg.solve(np.eye(D) + nu * inverse, v - nu * inverse @ b))
        xi.append(np.array(new))
        eta = (1 + beta[n]) * xi[n + 1] - beta[n] * xi[n]  # (24)
    return xi


def factors(rounds, rho):
    """What FISTA's dual energy has fallen to after n = 1, ... rounds, as a share of ||xi*||^2 / (2 nu (1 - rho)).

    Chambolle, Pock, Acta Numerica 2016, Theorem B.1, with q = rho.
    """
    n = np.arange(1, rounds + 1)
    return np.minimum(4 / (n + 1) ** 2, (1 + np.sqrt(rho)) * (1 - np.sqrt(rho)) ** n)


def allowed(dual, rho, nu, rounds):
    """The bound on ||theta^(n) - theta*||^2 that factors() gives by eq. 29, for n = 1, ..., rounds.

    Args:
        dual: xi* [N, d], where FISTA goes to from 0.
    """
    return factors(rounds, rho) * (dual**2).sum() / (len(dual) * nu**2 * (1 - rho))


def distances(simulation, optimum, rounds):
    """||theta^(n) - theta*||^2 of every configuration for n = 1, ..., rounds; [rounds, G]."""
    return ((path(simulation, rounds) - optimum) ** 2).sum(-1)


def test_exact_local_solutions_make_it_fista_on_the_dual(store):
    nu, rounds = 0.9 * convexity(store), 8
    rhos = [0.0, 0.5 * nu / smoothness(store), nu / smoothness(store)]
    expected = [fista(store, rho, nu, rounds) for rho in rhos]
    simulation = simulate(store, "dualfl", {"rho": rhos, "nu": [nu] * 3}, **SOLVING)
    for n in range(rounds):
        theta = params_after(simulation, 1)
        for number in range(len(rhos)):
            params, dual, _ = of_clients(simulation, number)
            np.testing.assert_allclose(nu * (dual - params), expected[number][n + 1], atol=1e-10)  # (25a)
            np.testing.assert_allclose(dual.sum(0), 0, atol=1e-10)  # (26)
            np.testing.assert_allclose(theta[number], -expected[number][n + 1].mean(0) / nu, atol=1e-10)
    assert np.abs(theta[0] - theta[2]).max() > 1e-6


def test_the_first_round_averages_the_clients_own_minimisers(store):
    found = params_after(simulate(store, "dualfl", {"rho": [0.0], "nu": [0.1]}, **SOLVING), 1)
    np.testing.assert_allclose(found[0], prox(store, 0.0, 0.0).mean(0), atol=1e-10)


def test_where_it_starts_does_not_matter(store):
    """Only the warm start of the first local problems."""
    values = {"rho": [0.05], "nu": [convexity(store)]}
    moved = params_after(simulate(store, "dualfl", values, start=np.full(D, 2.0), **SOLVING), 4)
    np.testing.assert_allclose(moved, params_after(simulate(store, "dualfl", values, **SOLVING), 4), atol=1e-10)


def test_one_client_is_done_after_one_round(tmp_path):
    alone = write_regression(tmp_path / "one", [30], shape=(D - 1,))
    simulation = simulate(alone, "dualfl", {"rho": [0.1], "nu": [convexity(alone)]}, **SOLVING)
    for _ in range(3):
        np.testing.assert_allclose(params_after(simulation, 1)[0], solution(alone), atol=1e-10)
        np.testing.assert_allclose(of_clients(simulation)[1], 0, atol=1e-10)


@pytest.mark.parametrize("rho", [0.0, 0.03])
def test_it_stays_at_the_solution(store, rho):
    """nu zeta_j the gradients there, whatever the momentum."""
    optimum, nu = solution(store), convexity(store)
    slopes = gradients(store, optimum) / nu
    models = np.tile(optimum, (len(slopes), 1))
    simulation = simulate(store, "dualfl", {"rho": [rho], "nu": [nu]}, **SOLVING)
    place(simulation, [optimum, 3.0, 0.4], [models, slopes, slopes])
    np.testing.assert_allclose(params_after(simulation, 3)[0], optimum, atol=1e-10)
    np.testing.assert_allclose(of_clients(simulation)[1], slopes, atol=1e-10)


@pytest.mark.parametrize("rho", [0.0, 0.01, 0.3])
def test_the_momentum_is_that_of_equation_5_and_has_its_limits(rho):
    algorithm = DualFL(rho=tf.constant([[[rho]]], tf.float64), nu=tf.ones([1, 1, 1], tf.float64))
    w = tf.zeros([1, 1, 2], tf.float64)
    server, (t, beta) = algorithm.init_server(w), momenta(rho, 2000)
    for n in range(2000):
        server = algorithm.update_server(server, Update(w), 1.0)
        np.testing.assert_allclose([server.inertia.numpy().item(), server.momentum.numpy().item()], [t[n + 1], beta[n]])
    assert isinstance(server, Server) and beta[0] == 0
    if rho:
        np.testing.assert_allclose(t[-1], 1 / np.sqrt(rho), rtol=1e-8)
        np.testing.assert_allclose(beta[-1], (1 - np.sqrt(rho)) / (1 + np.sqrt(rho)), rtol=1e-8)
    else:
        assert t[-1] >= (2000 + 2) / 2  # Beck, Teboulle 2009, Lemma 4.3, counted from t_1 = 1
        assert 1 - 3 / 2000 <= beta[-1] < 1


def test_it_converges_as_its_theorems_say(store):
    """Theorem 3.3 for rho up to nu / L, and Theorem 3.2 for rho = 0; both with the constants of their proofs."""
    optimum, nu, rounds = solution(store), convexity(store), 30
    largest = nu / smoothness(store)
    rhos = [0.0, 0.25 * largest, largest]
    dual = gradients(store, optimum) - nu * optimum  # (21): xi_j* = grad g_j(theta*)
    simulation = simulate(store, "dualfl", {"rho": rhos, "nu": [nu] * 3}, **SOLVING)
    found = distances(simulation, optimum, rounds)
    bounds = np.transpose([allowed(dual, rho, nu, rounds) for rho in rhos])
    assert np.all(found <= bounds)
    assert found[-1, 2] < 1e-3 * bounds[0, 2]  # so that the bound says something


def test_problems_without_strong_convexity_are_solved_with_a_little_of_it(tmp_path):
    """Section 4: softmax regression with alpha/2 ||theta||^2, nu = alpha and rho = alpha / (L + alpha)."""
    alpha, store = 0.05, write_classes(tmp_path / "classes", [12, 12, 12])
    objective = classes_by_hand(store)
    problem = {"name": "multinomial_logistic", "mu": alpha}
    values = {"tolerance": [1e-12]}
    optimum = params_after(simulate(store, "newton", values, problem=problem, **SOLVING), 12)[0]
    slopes = objective.gradients(optimum)  # of the f_j without alpha
    np.testing.assert_allclose(slopes.mean(0), -alpha * optimum, atol=1e-11)
    rho = alpha / (objective.smoothness + alpha)
    simulation = simulate(store, "dualfl", {"rho": [rho], "nu": [alpha]}, problem=problem, **SOLVING)
    found = distances(simulation, optimum, 30)[:, 0]
    assert np.all(found <= allowed(slopes, rho, alpha, 30))
    last = of_server(simulation)[0]
    steepness = np.linalg.norm(objective.gradients(last).mean(0))  # (14)
    assert steepness <= objective.smoothness * np.sqrt(found[-1]) + alpha * np.linalg.norm(optimum)


def test_regularised_it_is_dualfl_on_the_problem_with_a_squared_norm(tmp_path):
    alpha, store = 0.05, write_classes(tmp_path / "classes", [12, 12, 12])
    values, name = {"rho": [0.02], "nu": [alpha]}, "multinomial_logistic"
    expected = simulate(store, "dualfl", values, problem={"name": name, "mu": alpha}, **SOLVING)
    found = simulate(store, "dualfl_regularised", values, problem={"name": name}, **SOLVING)
    np.testing.assert_allclose(path(found, 6), path(expected, 6), atol=1e-9)


def test_it_converges_where_the_objectives_have_no_gradient(tmp_path):
    """Theorem 3.2 with the constant of its proof, on support vector machines; nu zeta_j - nu theta_j goes to xi_j*."""
    mu, rounds = 0.2, 30
    store = write_labels(tmp_path / "labels", {"train": [30, 30, 30]}, classes=2)
    options = SOLVING | {"solver": Solver(tolerance=1e-13, most_iterations=50_000)}
    problem = {"name": "hinge", "mu": mu}
    pooled = simulate(store, "centralized_exact", {"strength": [0.0]}, problem=problem, **options)
    optimum = params_after(pooled, 1)[0]
    simulation = simulate(store, "dualfl", {"rho": [0.0], "nu": [mu]}, problem=problem, **options)
    found = distances(simulation, optimum, rounds)[:, 0]
    path(simulation, 170)
    params, dual, _ = of_clients(simulation)
    assert np.all(found <= allowed(mu * (dual - params), 0.0, mu, rounds))
    np.testing.assert_allclose(of_server(simulation)[0], optimum, atol=1e-4)


def test_the_centralized_solution_stays_where_it_is(tmp_path):
    """And, with a strength, it is that of the problem with so much more of the squared norm."""
    store = write_labels(tmp_path / "labels", {"train": [12, 20]}, classes=2)
    options = SOLVING | {"solver": Solver(tolerance=1e-13, most_iterations=50_000)}
    simulation = simulate(
        store, "centralized_exact", {"strength": [0.1, 0.3]}, problem={"name": "hinge", "mu": 0.2}, **options
    )
    first = params_after(simulation, 1)
    np.testing.assert_allclose(params_after(simulation, 1), first, atol=1e-6)
    more = simulate(store, "centralized_exact", {"strength": [0.0]}, problem={"name": "hinge", "mu": 0.5}, **options)
    np.testing.assert_allclose(params_after(more, 1)[0], first[1], atol=1e-6)
    assert np.linalg.norm(first[1]) < np.linalg.norm(first[0])
