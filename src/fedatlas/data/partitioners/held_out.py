"""Clients that no training sees."""

from __future__ import annotations

import numpy as np

from fedatlas.errors import AtlasError


def held_out(num_clients: int, rng: np.random.Generator, *, fraction: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the clients that are seen in training and of those that are not, both sorted.

    Args:
        fraction: of the clients that are unseen, rounded to the nearest number (FedEM, section 4.2: 0.2).

    Raises:
        AtlasError: if that leaves either side without a client.
    """
    unseen = round(num_clients * fraction)
    if not 0 < unseen < num_clients:
        raise AtlasError(f"holding out {fraction:g} of {num_clients} clients leaves one side without a client.")
    order = rng.permutation(num_clients)
    return np.sort(order[unseen:]), np.sort(order[:unseen])
