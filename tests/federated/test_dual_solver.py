"""The local solver of hinge losses: where it arrives, that its gap is one, and that everyone stops on their own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

tf = pytest.importorskip("tensorflow")

from fedatlas.federated.objectives import Objective
from fedatlas.federated.solvers import Margins, Solver, minimise_by_dual
from fedatlas.problems import problems
from fedatlas.problems.base import Batch, Data

SIZES, DIM, MU = [30, 18, 0], 4, 0.05
RNG = np.random.default_rng(1)
X = RNG.normal(size=(3, 30, DIM))
Y = (X.sum(-1) + RNG.normal(size=(3, 30)) > 0).astype(np.int32)
MASK = np.arange(30) < np.array(SIZES)[:, None]
LINEAR, CENTRE = 0.1 * RNG.normal(size=(2, 1, 3, DIM + 1))
STRENGTH = np.array([0.0, 0.5])[:, None, None]
START = RNG.normal(size=(2, 3, DIM + 1))


def solved(tolerance, most_iterations=20_000, **options):
    """argmin and the number of passes of each configuration and client."""
    problem = problems["hinge"](data=Data((DIM,), 2, {}), mu=MU, **options)
    batch = Batch(tf.constant(X), tf.constant(Y), tf.constant(MASK))
    F = Objective.of_all(problem, batch, tf.float64, Solver(tolerance, most_iterations))

    @tf.function
    def solve():
        found = F.minimise(tf.constant(START), linear=LINEAR, strength=tf.constant(STRENGTH), centre=CENTRE)
        return found, F.gradients

    return (array.numpy() for array in solve())


def value(u, g, c):
    """The objective of a configuration and a client, written out."""
    signed = signed_inputs(c)
    tilt = LINEAR[0, c] @ u + STRENGTH[g, 0, 0] / 2 * ((u - CENTRE[0, c]) ** 2).sum()
    return np.maximum(1 - signed @ u, 0).mean() + MU / 2 * u @ u + tilt


def signed_inputs(c):
    """s (x, 1) of the examples of a client."""
    return (2 * Y[c, : SIZES[c], None] - 1) * np.column_stack([X[c, : SIZES[c]], np.ones(SIZES[c])])


def by_a_quadratic_program(g, c):
    """The minimiser over (u, slacks), by sequential least squares."""
    n, s = SIZES[c], STRENGTH[g, 0, 0]
    rows = np.hstack([signed_inputs(c), np.eye(n)])

    def energy(v):
        u, slack = v[: DIM + 1], v[DIM + 1 :]
        away = u - CENTRE[0, c]
        gradient = np.concatenate([MU * u + LINEAR[0, c] + s * away, np.full(n, 1 / n)])
        return slack.mean() + MU / 2 * u @ u + LINEAR[0, c] @ u + s / 2 * away @ away, gradient

    limits = [
        {"type": "ineq", "fun": lambda v: rows @ v - 1, "jac": lambda v: rows},
        {"type": "ineq", "fun": lambda v: v[DIM + 1 :], "jac": lambda v: np.eye(n, DIM + 1 + n, DIM + 1)},
    ]
    begin = np.concatenate([np.zeros(DIM + 1), np.ones(n)])
    options = {"ftol": 1e-15, "maxiter": 1000}
    return optimize.minimize(energy, begin, jac=True, constraints=limits, method="SLSQP", options=options).x[: DIM + 1]


@pytest.mark.parametrize("g", [0, 1])
@pytest.mark.parametrize("c", [0, 1])
def test_it_arrives_where_a_quadratic_program_does(g, c):
    """The objectives agree to the gap; the points to its root over the curvature."""
    found, _ = solved(1e-12)
    expected = by_a_quadratic_program(g, c)
    assert value(found[g, c], g, c) == pytest.approx(value(expected, g, c), abs=1e-10)
    np.testing.assert_allclose(found[g, c], expected, atol=1e-5)


@pytest.mark.parametrize("smoothing", [1.0, 0.1])
def test_the_gradient_of_a_smoothed_hinge_vanishes(smoothing):
    """The gap bounds the square of the distance by 2 / MU, and the gradient is Lipschitz."""
    found, _ = solved(1e-14, smoothing=smoothing)
    for g in range(2):
        for c in range(2):
            u, signed = found[g, c], signed_inputs(c)
            a = np.clip((1 - signed @ u) / smoothing, 0, 1)
            gradient = MU * u + LINEAR[0, c] + STRENGTH[g, 0, 0] * (u - CENTRE[0, c]) - a @ signed / SIZES[c]
            np.testing.assert_allclose(gradient, 0, atol=1e-5)


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4])
def test_the_value_is_within_the_tolerance_of_the_least(tolerance):
    exact, passes = solved(1e-13)
    rough, fewer = solved(tolerance)
    for g in range(2):
        for c in range(2):
            above = value(rough[g, c], g, c) - value(exact[g, c], g, c)
            assert -1e-12 <= above <= tolerance
    assert (fewer[:, :2] < passes[:, :2]).all()


def test_who_has_no_examples_stays_and_costs_no_iteration():
    found, passes = solved(1e-12)
    np.testing.assert_array_equal(found[:, 2], START[:, 2])
    np.testing.assert_array_equal(passes[:, 2], 1)


def test_everyone_stops_on_their_own():
    _, passes = solved(1e-10)
    assert len(np.unique(passes[:, :2])) == 4


def test_one_example_is_solved_by_hand():
    """max(0, 1 - 2 u) + 1/2 u^2 has its minimum at the kink 1/2, where the dual is 1/4."""
    margins = Margins(tf.constant([[[2.0]]], tf.float64), tf.ones([1, 1], tf.float64))
    one = tf.ones([1, 1, 1], tf.float64)
    found, _ = minimise_by_dual(margins, 1000, 0 * one, one, 0 * one, 1e-14 * one)
    np.testing.assert_allclose(found, 0.5, atol=1e-12)
