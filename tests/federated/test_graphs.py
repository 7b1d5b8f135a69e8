"""Graphs between clients, and their weights against known optima."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("tensorflow")  # cvxpy is in the same environment

from fedatlas.federated.graphs import ACCURACY, WEIGHTS, erdos_renyi, fastest_mixing, metropolis


def mixing_rate(weights):
    """The largest absolute eigenvalue of W - 11'/T: 0 averages at once, 1 never."""
    return float(np.abs(np.linalg.eigvalsh(weights - 1 / len(weights))).max())


def path(number):
    return np.eye(number, k=1, dtype=bool) | np.eye(number, k=-1, dtype=bool)


def complete(number):
    return ~np.eye(number, dtype=bool)


def drawn(number, probability=0.5, seed=0):
    return erdos_renyi(number, probability, np.random.default_rng(seed))


def test_a_graph_of_erdos_and_renyi_is_connected_symmetric_and_follows_its_seed():
    graph = drawn(8, 0.3)
    assert graph.dtype == bool and not graph.diagonal().any()
    np.testing.assert_array_equal(graph, graph.T)
    assert np.all(np.linalg.matrix_power(graph.astype(float) + np.eye(8), 7) > 0)
    np.testing.assert_array_equal(graph, drawn(8, 0.3))
    assert np.any(graph != drawn(8, 0.3, seed=1))


def test_pairs_are_neighbours_with_the_probability():
    """Within five standard deviations of 1225 draws."""
    share = drawn(50, 0.4)[np.triu_indices(50, 1)].mean()
    assert abs(share - 0.4) < 5 * np.sqrt(0.4 * 0.6 / 1225)


def test_a_graph_is_drawn_again_until_it_is_connected():
    """The first draw of this seed is not."""
    first = np.triu(np.random.default_rng(0).random((6, 6)) < 0.3, 1)
    assert np.any(np.linalg.matrix_power((first | first.T) + np.eye(6), 5) == 0)
    assert np.all(np.linalg.matrix_power(drawn(6, 0.3) + np.eye(6), 5) > 0)
    with pytest.raises(ValueError, match="'probability' 0.0 was connected"):
        drawn(4, 0.0)


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("graph", [drawn(12), drawn(9, 0.3), path(5), complete(4)], ids=["12", "9", "path", "complete"])
def test_weights_average_along_the_edges(kind, graph):
    weights = WEIGHTS[kind](graph)
    np.testing.assert_allclose(weights, weights.T, atol=1e-15)
    np.testing.assert_allclose(weights.sum(1), 1, atol=1e-14)
    assert weights.min() >= 0
    assert np.all(weights[~graph & ~np.eye(len(graph), dtype=bool)] == 0)
    assert mixing_rate(weights) < 1


@pytest.mark.parametrize("seed", range(5))
def test_the_fastest_is_not_slower_than_metropolis_or_best_constant(seed):
    """Constant weights on all edges, 2 / (largest + least positive eigenvalue of the Laplacian), are its rivals too."""
    graph = drawn(15, 0.4, seed)
    fastest = mixing_rate(fastest_mixing(graph))
    assert fastest <= mixing_rate(metropolis(graph)) + ACCURACY
    laplacian = np.diag(graph.sum(1)) - graph
    eigenvalues = np.linalg.eigvalsh(laplacian)
    constant = np.eye(15) - 2 / (eigenvalues[-1] + eigenvalues[1]) * laplacian
    if constant.min() >= 0:
        assert fastest <= mixing_rate(constant) + ACCURACY


@pytest.mark.parametrize("number", [2, 3, 6])
def test_neighbours_of_all_average_at_once(number):
    np.testing.assert_allclose(fastest_mixing(complete(number)), 1 / number, atol=ACCURACY)
    np.testing.assert_allclose(metropolis(complete(number)), 1 / number, atol=1e-15)


@pytest.mark.parametrize("number", [2, 3, 4, 7])
def test_the_fastest_chain_on_a_path(number):
    """Boyd, Diaconis, Sun, Xiao, Amer. Math. Monthly 2006: 1/2 on every edge, with the rate cos(pi / n)."""
    weights = fastest_mixing(path(number))
    expected = path(number) / 2 + np.diag([0.5] + [0.0] * (number - 2) + [0.5])
    np.testing.assert_allclose(mixing_rate(weights), np.cos(np.pi / number), atol=ACCURACY)
    np.testing.assert_allclose(weights, expected, atol=1e-5)


def test_no_small_change_of_the_weights_is_faster():
    """The rate is convex in the weights, so a local optimum is the optimum."""
    graph, rng = drawn(8), np.random.default_rng(1)
    weights = fastest_mixing(graph)
    for size in (1e-3, 1e-2, 0.1):
        for _ in range(100):
            moved = np.triu(np.where(graph, np.abs(weights + size * rng.normal(size=graph.shape)), 0), 1)
            moved += moved.T
            moved += np.diag(1 - moved.sum(1))
            if moved.min() >= 0:
                assert mixing_rate(moved) >= mixing_rate(weights) - ACCURACY
