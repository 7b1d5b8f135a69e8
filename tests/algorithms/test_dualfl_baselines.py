"""Exact tests of Scaffnew, APDA-Inexact and 5GCS: reductions, fixed points, rounds by hand, linear convergence."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from algorithms.quadratics import convexity, gradients, prox, smoothness, solution
from algorithms.rounds import solving
from algorithms.states import of_clients, of_server, place
from simulating import params_after, simulate, write_regression

from fedatlas.algorithms.base import Server
from fedatlas.algorithms.scaffnew import Scaffnew

SIZES = [30, 30, 30, 30]
N, D = len(SIZES), 4
SOLVING = solving(80)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return write_regression(tmp_path_factory.mktemp("stores") / "equal", SIZES, shape=(D - 1,))


def column(**values):
    """One configuration."""
    return {name: np.array([value]) for name, value in values.items()}


def test_scaffnew_that_always_communicates_is_gradient_descent(store):
    gamma, x = 0.05, np.zeros(D)
    simulation = simulate(store, "scaffnew", column(gamma=gamma, probability=1.0))
    for _ in range(5):
        assert simulation.advance().gradient_evaluations == sum(SIZES)
        x = x - gamma * gradients(store, x).mean(0)
    np.testing.assert_allclose(simulation.measure().params[0], x, atol=1e-12)


def test_scaffnew_by_hand_with_coins_of_its_own(store):
    """Of each round the number of steps is read from its cost; heads is what ends it."""
    gamma, p, x = 0.05, 0.3, np.zeros(D)
    models, h, counts = np.tile(x, (N, 1)), np.zeros((N, D)), []
    simulation = simulate(store, "scaffnew", column(gamma=gamma, probability=p))
    for _ in range(8):
        counts.append(simulation.advance().gradient_evaluations.item() / sum(SIZES))
        for _ in range(round(counts[-1])):
            models = models - gamma * (gradients(store, models) - h)
        x = (models - gamma / p * h).mean(0)
        h = h + p / gamma * (x - models)
        np.testing.assert_allclose(simulation.measure().params[0], x, atol=1e-12)
        np.testing.assert_allclose(h.sum(0), 0, atol=1e-10)
        models = np.tile(x, (N, 1))
    assert all(count == round(count) >= 1 for count in counts) and len(set(counts)) > 2


def test_scaffnew_draws_the_same_steps_for_every_gamma_and_fewer_for_a_larger_probability(store):
    values = {"gamma": [0.01, 0.05, 0.05], "probability": [0.2, 0.2, 0.6]}
    simulation = simulate(store, "scaffnew", values)
    costs = np.array([simulation.advance().gradient_evaluations for _ in range(12)])
    np.testing.assert_array_equal(costs[:, 0], costs[:, 1])
    assert np.all(costs[:, 2] <= costs[:, 1]) and costs[:, 2].sum() < costs[:, 1].sum()


@pytest.mark.parametrize("p", [0.1, 0.6, 1.0])
def test_scaffnew_steps_follow_the_geometric_law(p):
    """The coin's quantiles, one after another: P(K <= k) = 1 - (1 - p)^k."""
    number, w = 10_000, tf.zeros([1, 1, 1], tf.float64)
    algorithm = Scaffnew(gamma=w + 1, probability=w + p)
    coins = tf.constant((np.arange(number) / number)[:, None, None])
    steps = algorithm.broadcast(Server(w), coins).steps.numpy().ravel()
    for k in range(1, 30):
        # one quantile for the grid, and one whose logarithm is rounded across the edge
        np.testing.assert_allclose(np.mean(steps <= k), 1 - (1 - p) ** k, rtol=0, atol=2 / number)


def test_scaffnew_stays_at_the_solution(store):
    """h_i the gradients there; the models are the same when the mean comes."""
    optimum = solution(store)
    slopes = gradients(store, optimum)
    simulation = simulate(store, "scaffnew", column(gamma=0.05, probability=0.3))
    place(simulation, [optimum], [np.tile(optimum, (N, 1)), slopes])
    np.testing.assert_allclose(params_after(simulation, 4)[0], optimum, atol=1e-10)
    np.testing.assert_allclose(of_clients(simulation)[1], slopes, atol=1e-10)


def apda_by_hand(store, eta_x, beta_y, mu, rounds):
    """The mean of the x_i after every round, and what h_i is in the last one."""
    eta_y = 1 / (32 * eta_x)
    theta = max(2 / (2 + mu * eta_x), 1 - beta_y * eta_y)
    x, h, ahead, means = np.zeros((N, D)), np.zeros((N, D)), np.zeros((N, D)), []
    for _ in range(rounds):
        before = h
        found = prox(store, x - eta_x * ahead, 1 / eta_x)
        slopes = gradients(store, found)
        x = x - eta_x * (slopes + ahead)
        m = x - beta_y * (h + slopes)
        h = h + eta_y * (m - m.mean(0))
        ahead = h + theta * (h - before)
        means.append(x.mean(0))
    return np.array(means), before


@pytest.mark.parametrize(("eta_x", "beta_y"), [(0.1, 0.3), (0.5, 0.05)])
def test_apda_by_hand(store, eta_x, beta_y):
    """Both for theta that comes from mu and for theta that comes from beta_y; the server sees only the m_i."""
    mu, rounds = 0.2, 6
    means, h = apda_by_hand(store, eta_x, beta_y, mu, rounds)
    simulation = simulate(store, "apda_inexact", column(eta_x=eta_x, beta_y=beta_y, mu=mu), **SOLVING)
    for mean in means:
        np.testing.assert_allclose(params_after(simulation, 1)[0], mean, atol=1e-10)
    models, dual, _ = of_clients(simulation)
    np.testing.assert_allclose(models.mean(0), means[-1], atol=1e-10)
    np.testing.assert_allclose(dual, h, atol=1e-10)


def test_apda_stays_at_the_solution(store):
    """h_i minus the gradients there."""
    optimum = solution(store)
    slopes, models = gradients(store, optimum), np.tile(optimum, (N, 1))
    simulation = simulate(store, "apda_inexact", column(eta_x=0.1, beta_y=0.1, mu=0.2), **SOLVING)
    place(simulation, [optimum, optimum], [models, -slopes, models])
    np.testing.assert_allclose(params_after(simulation, 3)[0], optimum, atol=1e-10)
    np.testing.assert_allclose(of_clients(simulation)[1], -slopes, atol=1e-10)


def test_apda_converges_at_least_as_fast_as_its_extrapolation_supposes(store):
    """A factor theta a round for the squared distance."""
    eta_x, beta_y, mu, optimum = 0.1, 0.1, convexity(store), solution(store)
    theta = max(2 / (2 + mu * eta_x), 1 - beta_y / (32 * eta_x))
    values = column(eta_x=eta_x, beta_y=beta_y, mu=mu)
    simulation = simulate(store, "apda_inexact", values, **solving(40))
    errors = [((params_after(simulation, 20)[0] - optimum) ** 2).sum() for _ in range(6)]
    assert all(after <= theta**20 * before for before, after in zip(errors[1:], errors[2:], strict=False))


def five_gcs_by_hand(store, gamma, mu, choose, rounds):
    """x, v and u_m (not multiplied by N) after the rounds, in which choose() gives the clients."""
    tau, x, u = 1 / (2 * gamma * N), np.zeros(D), np.zeros((N, D))
    for _ in range(rounds):
        chosen = choose()
        forward = (x - gamma * u.sum(0)) / (1 + gamma * mu)
        found = prox(store, forward, N * tau - mu, linear=-N * u - mu * forward)
        slopes = (gradients(store, found) - mu * found) / N  # of F_m
        optimality = slopes + tau * (found - forward - u / tau)
        np.testing.assert_allclose(optimality, 0, atol=1e-10)  # found is argmin F_m + tau/2 ||. - xhat - u_m/tau||^2
        new = u.copy()
        new[chosen] = slopes[chosen]
        x = forward - gamma * N / len(chosen) * (new - u).sum(0)
        u = new
        yield x, u


@pytest.mark.parametrize("cohort", [N, 2])
def test_five_gcs_by_hand(store, cohort):
    gamma, mu = 0.2, 0.1
    simulation = simulate(store, "five_gcs", column(gamma=gamma, mu=mu), cohort=cohort, **SOLVING)
    for x, u in five_gcs_by_hand(store, gamma, mu, simulation.next_cohort, 5):
        np.testing.assert_allclose(params_after(simulation, 1)[0], x, atol=1e-10)
        np.testing.assert_allclose(of_clients(simulation)[0], N * u, atol=1e-10)
        np.testing.assert_allclose(of_server(simulation)[1], u.sum(0), atol=1e-10)


def test_five_gcs_stays_at_the_solution(store):
    """u_m the gradients of F_m there, whose sum is -mu times the solution."""
    optimum, mu = solution(store), 0.1
    dual = gradients(store, optimum) - mu * optimum  # N u_m
    simulation = simulate(store, "five_gcs", column(gamma=0.2, mu=mu), **SOLVING)
    place(simulation, [optimum, dual.mean(0)], [dual])
    np.testing.assert_allclose(params_after(simulation, 3)[0], optimum, atol=1e-10)
    np.testing.assert_allclose(of_clients(simulation)[0], dual, atol=1e-10)


@pytest.mark.parametrize("gamma", [0.05, 0.5])
def test_five_gcs_converges_linearly(store, gamma):
    """(1/gamma) ||x - x*||^2 + (1/tau + 1/L_F) sum ||u_m - u_m*||^2 falls by the factor of its analysis every round."""
    mu, optimum = convexity(store), solution(store)
    tau, smooth = 1 / (2 * gamma * N), (smoothness(store) - mu) / N
    dual = (gradients(store, optimum) - mu * optimum) / N
    simulation = simulate(store, "five_gcs", column(gamma=gamma, mu=mu), **SOLVING)

    def distance():
        u = of_clients(simulation)[0] / N
        x = simulation.measure().params[0]
        return ((x - optimum) ** 2).sum() / gamma + (1 / tau + 1 / smooth) * ((u - dual) ** 2).sum()

    factor, before = max(1 / (1 + gamma * mu), smooth / (smooth + tau)), distance()
    for _ in range(15):
        simulation.advance()
        after = distance()
        assert after <= factor * before
        before = after
