"""Graphs between clients, and the weights by which neighbours average.

A graph is a symmetric matrix of truth values [clients, clients] with an empty diagonal. Its weights W are symmetric,
not negative, zero between those who are no neighbours, and every row sums to one; the mean of what all clients hold is
kept, and the distance from it shrinks by the largest absolute eigenvalue of W - 11'/T at least, its mixing rate.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fedatlas.lazy import cp

DRAWS = 1000  # of a graph, until one is connected
ACCURACY, MOST_ITERATIONS = 1e-6, 100_000  # of the mixing rate that is fastest, and to get there


def erdos_renyi(clients: int, probability: float, rng: np.random.Generator) -> np.ndarray:
    """A graph in which every pair of clients are neighbours with this probability, drawn until it is connected.

    Raises:
        ValueError: if it has not come out connected in `DRAWS` draws.
    """
    for _ in range(DRAWS):
        above = np.triu(rng.random((clients, clients)) < probability, 1)
        graph = above | above.T
        if _connected(graph):
            return graph
    raise ValueError(
        f"none of {DRAWS} graphs of {clients} clients with 'probability' {probability} was connected; raise it "
        f"(above log(clients) / clients = {np.log(clients) / clients:.3g} most are)."
    )


def _connected(graph: np.ndarray) -> bool:
    reached = np.arange(len(graph)) == 0
    for _ in graph:
        reached |= graph[reached].any(0)
    return bool(reached.all())


def metropolis(graph: np.ndarray) -> np.ndarray:
    """Metropolis-Hastings weights W_ij = 1 / (1 + the larger degree), the rest of a row on its diagonal; [T, T].

    Xiao, Boyd, Lall, IPSN 2005, section 4.1: every client finds its own from its neighbours' degrees.
    """
    degrees = graph.sum(1)
    weights = np.where(graph, 1 / (1 + np.maximum.outer(degrees, degrees)), 0.0)
    return weights + np.diag(1 - weights.sum(1))


def fastest_mixing(graph: np.ndarray) -> np.ndarray:
    """The weights with the least mixing rate; a client may keep a weight of its own; [T, T].

    Boyd, Diaconis, Xiao, SIAM Review 2004: minimise the spectral norm of W - 11'/T over W, a semidefinite program.
    What the solver leaves below zero or above one is taken away. 100 clients take some seconds, 300 a minute.
    """
    weights = cp.Variable(graph.shape, symmetric=True)
    apart = ~(graph | np.eye(len(graph), dtype=bool))
    allowed = [weights >= 0, cp.sum(weights, axis=1) == 1, cp.multiply(apart, weights) == 0]
    spread = cp.sigma_max(weights - np.full(graph.shape, 1 / len(graph)))
    cp.Problem(cp.Minimize(spread), allowed).solve(solver=cp.SCS, eps=ACCURACY / 10, max_iters=MOST_ITERATIONS)
    edges = np.where(graph, np.maximum((weights.value + weights.value.T) / 2, 0), 0.0)
    edges /= max(1.0, edges.sum(1).max())
    return edges + np.diag(np.maximum(1 - edges.sum(1), 0))


WEIGHTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {"metropolis": metropolis, "fastest_mixing": fastest_mixing}
