"""The local solver: where it arrives, how fast, and that everyone stops on their own."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from fedatlas.federated.objectives import Objective
from fedatlas.federated.solvers import Solver
from fedatlas.federated.solvers.aogm import SHRINKAGE
from fedatlas.problems import problems
from fedatlas.problems.base import Batch, Data

SIZES = [40, 25, 0]
DIM = 8
TO_THE_END = Solver(tolerance=0, most_iterations=400)
STRENGTH = np.array([0.1, 0.001])[:, None, None]
RNG = np.random.default_rng(0)
X = RNG.normal(size=(3, 40, DIM)) * np.logspace(0, -1, DIM)
Y = X @ np.ones(DIM) + RNG.normal(size=(3, 40))
MASK = np.arange(40) < np.array(SIZES)[:, None]
LINEAR, CENTRE = RNG.normal(size=(2, 1, 3, DIM + 1))


def objective(solver, problem="linear_regression", kept=True, **options):
    options = {"nonzero_above": 0.1} if problem == "linear_regression" else options
    made = problems[problem](data=Data((DIM,), 3, {}), **options)
    y = Y if problem == "linear_regression" else (np.abs(Y) > 0.5).astype(np.int32) + (Y > 1)
    batch = Batch(tf.constant(X), tf.constant(y), tf.constant(MASK))
    return Objective.of_all(made, batch, tf.float64, solver) if kept else Objective(made, batch, None, solver)


def solved(F, strength=STRENGTH, size=DIM + 1):
    """argmin and the number of gradients of each configuration and client."""

    @tf.function
    def solve():
        start = tf.zeros([len(strength), 3, size], tf.float64)
        found = F.minimise(start, linear=LINEAR[..., :size], strength=tf.constant(strength), centre=CENTRE[..., :size])
        return found, F.gradients

    return (array.numpy() for array in solve())


def exact():
    """The same by dense linear algebra, for the clients with examples: 1/n ||Aw - y||^2 and the tilt."""
    found = np.empty([len(STRENGTH), 2, DIM + 1])
    for c, n in enumerate(SIZES[:2]):
        a = np.column_stack([X[c, :n], np.ones(n)])
        for g, s in enumerate(STRENGTH[:, 0, 0]):
            hessian = 2 * a.T @ a / n + s * np.eye(DIM + 1)
            found[g, c] = np.linalg.solve(hessian, 2 * a.T @ Y[c, :n] / n - LINEAR[0, c] + s * CENTRE[0, c])
    return found


@pytest.mark.parametrize("kept", [True, False])
def test_it_arrives_at_the_minimiser_to_the_last_digits(kept):
    """By the outputs that are kept beside linear points, and without."""
    found, _ = solved(objective(TO_THE_END, kept=kept))
    np.testing.assert_allclose(found[:, :2], exact(), rtol=0, atol=1e-10)


def test_a_client_without_examples_stays_and_costs_nothing():
    found, gradients = solved(objective(TO_THE_END))
    assert not found[:, 2].any()
    assert (gradients[:, 2] <= 1).all()


def test_everyone_stops_on_their_own():
    """A configuration finds the same, after as many gradients, whether others are still under way or not.

    The tolerance is far above the rounding of a value: that of a sum in another order would stop it earlier or later.
    """
    solver = Solver(tolerance=1e-9, most_iterations=5000)
    found, gradients = solved(objective(solver))
    assert len(np.unique(gradients[:, :2])) == 4
    for g in range(len(STRENGTH)):
        alone, counted = solved(objective(solver), strength=STRENGTH[g : g + 1])
        np.testing.assert_array_equal(counted[0], gradients[g])
        np.testing.assert_allclose(alone[0], found[g], rtol=0, atol=1e-12)


def test_it_stops_when_the_value_hardly_changes():
    """A smaller tolerance takes more iterations, but not all of them."""
    counts = []
    for tolerance in (1e-3, 1e-6, 1e-12):
        F = objective(Solver(tolerance, 5000))
        found, gradients = solved(F)
        counts.append(gradients[0, 0, 0])
    assert counts[0] < counts[1] < counts[2] < 5000
    np.testing.assert_allclose(found[:, :2], exact(), rtol=0, atol=1e-3)


def test_a_softmax_regression_has_no_gradient_left():
    size = 3 * (DIM + 1)
    linear, centre = np.random.default_rng(1).normal(size=(2, 1, 3, size))
    F = objective(TO_THE_END, "multinomial_logistic", mu=0.01)
    strength = tf.constant(STRENGTH)

    @tf.function
    def left():
        found = F.minimise(tf.zeros([2, 3, size], tf.float64), linear, strength, centre)
        return F.gradient(found) + linear + strength * (found - centre)

    np.testing.assert_allclose(left()[:, :2], 0, atol=1e-11)


def test_a_scaled_solver_finds_the_same_with_fewer_gradients():
    """On inputs of very different sizes, along whose axes the Hessian is nearly diagonal."""
    rng, size = np.random.default_rng(1), 3 * (DIM + 1)
    x = rng.normal(size=(2, 400, DIM)) * np.logspace(2, 0, DIM)
    present = np.repeat([[True], [False]], 400, axis=1)
    batch = Batch(tf.constant(x), tf.constant(rng.integers(3, size=(2, 400))), tf.constant(present))
    made = problems["multinomial_logistic"](data=Data((DIM,), 3, {}), mu=0.01)
    linear = rng.normal(size=(1, 2, 3, DIM + 1)) / 100
    linear = (linear - linear.mean(2, keepdims=True)).reshape(1, 2, size)  # softmax does not see what classes share

    @tf.function
    def solved_by(scaling):
        F = Objective.of_all(made, batch, tf.float64, Solver(1e-13, 5000, scaling))
        u = F.minimise(tf.zeros([2, 2, size], tf.float64), linear, tf.constant(STRENGTH))
        passes = F.gradients
        return u, passes, F.gradient(u) + linear + STRENGTH * u

    (plain, before, _), (found, after, left) = ([array.numpy() for array in solved_by(s)] for s in (None, "diagonal"))
    np.testing.assert_allclose(left[:, 0], 0, atol=1e-4)  # of inputs up to 300
    np.testing.assert_allclose(found, plain, rtol=0, atol=0.01)  # which stops farther away
    assert after[:, 0].max() < before[:, 0].min() / 3
    assert not found[:, 1].any()


def test_the_bound_of_a_scaled_solver_is_above_the_diagonal_of_the_hessian():
    made = problems["multinomial_logistic"](data=Data((DIM,), 3, {}), mu=0.01)
    F = objective(TO_THE_END, "multinomial_logistic", mu=0.01)
    inputs = np.concatenate([X, np.ones([3, 40, 1])], -1)
    squares = np.stack([(inputs[c, :n] ** 2).mean(0) if n else np.zeros(DIM + 1) for c, n in enumerate(SIZES)])
    bound = made.hessian_diagonal(tf.constant(squares)).numpy()
    for w in np.random.default_rng(2).normal(size=(5, 1, 1, 3 * (DIM + 1))):
        w = tf.constant(np.broadcast_to(w, (1, 3, 3 * (DIM + 1))))
        units = np.eye(3 * (DIM + 1))
        diagonal = [F.hessian_product(w, tf.constant(np.broadcast_to(e, w.shape))).numpy()[0] @ e for e in units]
        assert (np.transpose(diagonal)[:2] <= bound[:2] + 1e-12).all()


def test_its_values_fall_as_fast_as_the_theory_says():
    """phi(y_k) - phi* <= 2 L ||x_0 - x*||^2 / (k + 1)^2 / SHRINKAGE: OGM's bound with backtracking is no worse."""
    star = exact()[1, 0]
    n = SIZES[0]
    a = np.column_stack([X[0, :n], np.ones(n)])
    lipschitz = np.linalg.eigvalsh(2 * a.T @ a / n).max() + STRENGTH[1, 0, 0]

    def value(w):
        tilt = LINEAR[0, 0] @ w + STRENGTH[1, 0, 0] / 2 * np.sum((w - CENTRE[0, 0]) ** 2)
        return np.mean((a @ w - Y[0, :n]) ** 2) + tilt

    for k in (3, 10, 100):
        found, _ = solved(objective(Solver(0, k)))
        assert value(found[1, 0]) - value(star) <= 2 * lipschitz * (star @ star) / (k + 1) ** 2 / SHRINKAGE


@pytest.mark.parametrize("kept", [True, False])
def test_products_with_the_hessian(kept):
    F = objective(TO_THE_END, "multinomial_logistic", kept=kept, mu=0.01)
    w, v = np.random.default_rng(2).normal(size=(2, 1, 3, 3 * (DIM + 1)))
    step = 1e-5
    by_differences = (F.gradient(tf.constant(w + step * v)) - F.gradient(tf.constant(w - step * v))) / (2 * step)
    np.testing.assert_allclose(F.hessian_product(tf.constant(w), tf.constant(v)), by_differences, atol=1e-8)


def test_a_gradient_is_computed_only_where_it_is_asked_for():
    F = objective(TO_THE_END)
    w = tf.constant(np.random.default_rng(3).normal(size=(2, 3, DIM + 1)))
    where = tf.constant([True, False])[:, None, None]
    found = F.gradient_where(w, where, tf.zeros_like(w))
    np.testing.assert_array_equal(found[0], objective(TO_THE_END).gradient(w)[0])
    assert not found[1].numpy().any()
    np.testing.assert_array_equal(F.gradients[:, 0, 0], [1, 0])
