"""Clients of equal size."""

from __future__ import annotations

import numpy as np

from fedatlas.data.partitioners.base import Partition, check_enough


def equal(labels: np.ndarray, rng: np.random.Generator, *, num_clients: int, shuffle: bool = True) -> Partition:
    """Cuts the examples into clients whose sizes differ by at most one.

    Args:
        labels: [num_examples]; only their number matters.
        shuffle: deal in random order; otherwise neighbours stay together (rows 0 to k-1 are client 0's, and so on).

    Raises:
        AtlasError: if there are fewer examples than clients.
    """
    check_enough(len(labels), num_clients, 1)
    order = rng.permutation(len(labels)) if shuffle else np.arange(len(labels))
    return [np.sort(part) for part in np.array_split(order, num_clients)]
