"""The reference solution: certificates of optimality, the inner conjugate gradients, and damping."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from algorithms.classes import classes_by_hand, write_classes
from algorithms.quadratics import clients, solution
from algorithms.rounds import steps
from simulating import params_after, simulate, write_regression

from fedatlas.algorithms import newton

WHOLE = {"work": steps(0)}
TIGHT = {"tolerance": [1e-10]}
MU = 1e-3
RIDGE = {"problem": {"name": "multinomial_logistic", "mu": MU}}


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    return write_classes(tmp_path_factory.mktemp("stores") / "classes", [12, 12, 12])


def steepness(store, w):
    """The norm of the gradient of the mean objective with its ridge."""
    return np.linalg.norm(classes_by_hand(store).gradients(w).mean(0) + MU * w)


def losses(store, start, rounds):
    """The objective before the first round and after each."""
    simulation = simulate(store, "newton", TIGHT, start=start, **RIDGE, **WHOLE)
    values = []
    for _ in range(rounds + 1):
        values.append(simulation.evaluate("train")["loss"].item())
        simulation.advance()
    return values


@pytest.mark.parametrize("sizes", [[9, 9, 9], [4, 13, 9]])
def test_least_squares_are_solved_over_the_pooled_examples(tmp_path, sizes):
    store = write_regression(tmp_path / "regression", sizes)
    shares = np.array(sizes) / sum(sizes)
    curvatures, slopes = zip(*clients(store), strict=True)
    curvature, slope = np.tensordot(shares, curvatures, 1), shares @ np.array(slopes)
    found = params_after(simulate(store, "newton", TIGHT, **WHOLE), 8)[0]
    assert np.linalg.norm(curvature @ found - slope) <= 1e-10
    np.testing.assert_allclose(found, np.linalg.solve(curvature, slope), atol=1e-9)
    if len(set(sizes)) == 1:
        np.testing.assert_allclose(found, solution(store), atol=1e-9)


def test_softmax_regression_with_a_ridge_is_solved_and_then_nothing_moves(classes):
    simulation = simulate(classes, "newton", TIGHT, **RIDGE, **WHOLE)
    found = params_after(simulation, 15)[0]
    assert steepness(classes, found) <= 1e-10
    np.testing.assert_array_equal(params_after(simulation, 3)[0], found)


def test_what_stands_still_costs_one_gradient_and_what_moves_products_with_the_hessian(tmp_path):
    """As many as conjugate gradients need by hand, until they are as exact as the rule of Algorithm 7.1 asks."""
    store = write_regression(tmp_path / "regression", [9, 9, 9])
    curvature, slope = (np.mean(parts, 0) for parts in zip(*clients(store), strict=True))
    r, d, products = -slope, slope, 0
    accuracy = min(np.sqrt(np.linalg.norm(r)), 0.5) * np.linalg.norm(r)
    while np.linalg.norm(r) > accuracy:
        new = r + (r @ r) / (d @ curvature @ d) * curvature @ d
        r, d, products = new, (new @ new) / (r @ r) * d - new, products + 1
    simulation = simulate(store, "newton", {"tolerance": [1e-10, 1e3]}, **WHOLE)
    np.testing.assert_array_equal(simulation.advance().gradient_evaluations, [27 * (1 + products), 27])
    params_after(simulation, 8)
    np.testing.assert_array_equal(simulation.advance().gradient_evaluations, [27, 27])


def test_every_configuration_stops_at_its_own_tolerance(classes):
    simulation = simulate(classes, "newton", {"tolerance": [1e-2, 1e-10]}, **RIDGE, **WHOLE)
    early, late = params_after(simulation, 15)
    assert 1e-6 < steepness(classes, early) <= 1e-2
    assert steepness(classes, late) <= 1e-10


def test_it_goes_downhill_from_far_away_where_full_steps_do_not(classes, monkeypatch):
    start = 6 * np.random.default_rng(0).normal(size=9)
    damped = losses(classes, start, 15)
    assert all(after <= before * (1 + 1e-13) for before, after in zip(damped, damped[1:], strict=False))
    monkeypatch.setattr(newton, "line_search", lambda F, w, gradient, direction: tf.ones_like(gradient[..., :1]))
    full = losses(classes, start, 15)
    assert max(full) > full[0]


def test_conjugate_gradients_solve_what_goes_on_and_leave_the_rest():
    """Of three configurations the second has stopped, and the third has no curvature."""
    rng = np.random.default_rng(1)
    root = rng.normal(size=(5, 5))
    matrices = np.array([root @ root.T + np.eye(5), np.eye(5), np.zeros((5, 5))])[:, None]
    gradient = rng.normal(size=(3, 1, 5))
    going = np.array([True, False, True])[:, None, None]
    accuracy = np.full((3, 1, 1), 1e-12)
    found, products = newton.conjugate_gradients(
        lambda d: tf.einsum("gcij,gcj->gci", matrices, d), *map(tf.constant, (gradient, accuracy, going))
    )
    np.testing.assert_allclose(found[0, 0], -np.linalg.solve(matrices[0, 0], gradient[0, 0]), atol=1e-10)
    np.testing.assert_array_equal(found[1:], 0)
    assert 5 <= products[0] <= 7  # without rounding, five
    np.testing.assert_array_equal(np.ravel(products[1:]), [0, 1])
