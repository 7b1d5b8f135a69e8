"""Linear regressions as quadratics, solved by dense linear algebra: what the tests of algorithms compare with.

The objective of client i is f_i(w) = mean (x'w - y)^2 = 1/2 w'H_i w - b_i'w + constant; the last of w is the bias.
"""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
from simulating import write_regression

from fedatlas.data.store import ClientStore

SIZES = [8, 12, 9, 10]
START = np.array([0.5, -1.0, 0.2, 0.3])


def write_four(path: Path) -> ClientStore:
    """Four clients of different sizes; START is a place to start from."""
    return write_regression(path, SIZES, shape=(3,))


@functools.cache
def clients(store: ClientStore) -> list[tuple[np.ndarray, np.ndarray]]:
    """(H_i, b_i) of every training client, [d, d] and [d]."""
    quadratics = []
    for number in range(len(store.sizes("train"))):
        arrays = store.read("train", number)
        x = np.column_stack([arrays["x"].reshape(len(arrays["y"]), -1), np.ones(len(arrays["y"]))]).astype(float)
        quadratics.append((2 * x.T @ x / len(x), 2 * x.T @ arrays["y"].astype(float) / len(x)))
    return quadratics


def gradients(store: ClientStore, w: np.ndarray) -> np.ndarray:
    """The gradient of every f_i at a shared w [d], or at its own w_i [N, d]; [N, d]."""
    quadratics = clients(store)
    points = np.broadcast_to(w, (len(quadratics), np.shape(w)[-1]))
    return np.array([h @ point - b for (h, b), point in zip(quadratics, points, strict=True)])


def solution(store: ClientStore) -> np.ndarray:
    """The minimiser of the mean objective (1/N) sum_i f_i, [d]."""
    curvatures, slopes = zip(*clients(store), strict=True)
    return np.linalg.solve(np.mean(curvatures, 0), np.mean(slopes, 0))


def prox(store: ClientStore, centre: np.ndarray, strength: float, linear: np.ndarray | float = 0.0) -> np.ndarray:
    """argmin_u f_i(u) + <linear_i, u> + strength/2 ||u - centre_i||^2 of every client, [N, d].

    Args:
        centre: [d] or [N, d].
        linear: a number, [d] or [N, d].
    """
    quadratics = clients(store)
    shape = (len(quadratics), len(quadratics[0][1]))
    right = strength * np.broadcast_to(centre, shape) - np.broadcast_to(linear, shape)
    return np.array(
        [
            np.linalg.solve(h + strength * np.eye(len(b)), b + side)
            for (h, b), side in zip(quadratics, right, strict=True)
        ]
    )


def smoothness(store: ClientStore) -> float:
    """L: the largest eigenvalue of any H_i."""
    return max(np.linalg.eigvalsh(h)[-1] for h, _ in clients(store))


def convexity(store: ClientStore) -> float:
    """mu: the smallest eigenvalue of any H_i."""
    return min(np.linalg.eigvalsh(h)[0] for h, _ in clients(store))
