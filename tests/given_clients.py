"""Clients as a program gives them to `fa.clients`."""

from __future__ import annotations

import numpy as np

CENTRES = np.array([[2.0, 0.0], [-1.0, 2.0], [-1.0, -2.0]])


def points(seed: int, sizes=(12, 12, 12, 12)) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Clients of three classes around centres, each client with more of some classes."""
    rng, found = np.random.default_rng(seed), {}
    for number, size in enumerate(sizes):
        shares = np.roll([0.6, 0.3, 0.1], number)
        y = rng.choice(3, size, p=shares)
        found[f"client {number}"] = (CENTRES[y] + rng.normal(size=(size, 2)), y)
    return found
