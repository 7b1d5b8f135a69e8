"""Training, validation and test examples within every client."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fedatlas.data.partitioners.base import Partition
from fedatlas.errors import AtlasError

SIXTY_TWENTY_TWENTY = {"train": 0.6, "validation": 0.2, "test": 0.2}
FEWEST = 1  # examples that a split of a client has, taken from its largest split


def splits(
    partition: Partition,
    rng: np.random.Generator,
    *,
    fractions: Mapping[str, float] = SIXTY_TWENTY_TWENTY,
    shuffle: bool = True,
) -> dict[str, Partition]:
    """Cuts every client into splits, so that split s has about fractions[s] of the client's examples.

    Args:
        partition: the clients' indices.
        fractions: by name of the split, positive, with the sum 1.
        shuffle: cut in random order; otherwise the first indices go to the first split (a split by time).

    Returns:
        Per split the clients in the same order, each with sorted indices.

    Raises:
        AtlasError: if the fractions do not sum to 1, or a client is too small for its splits.
    """
    if min(fractions.values()) <= 0 or abs(sum(fractions.values()) - 1) > 1e-9:
        raise AtlasError(f"the fractions of the splits must be positive with the sum 1, not {dict(fractions)}.")
    cut: dict[str, Partition] = {name: [] for name in fractions}
    for client, indices in enumerate(partition):
        sizes = _sizes(client, len(indices), np.array(list(fractions.values())))
        order = rng.permutation(indices) if shuffle else indices
        for name, piece in zip(fractions, np.split(order, np.cumsum(sizes)[:-1]), strict=True):
            cut[name].append(np.sort(piece))
    return cut


def _sizes(client: int, num_examples: int, fractions: np.ndarray) -> np.ndarray:
    """Examples per split, by largest remainders, then raised to the fewest."""
    if num_examples < FEWEST * len(fractions):
        raise AtlasError(
            f"client {client} has {num_examples} examples, too few for {len(fractions)} splits of at least {FEWEST}: "
            "give the partition a larger minimum."
        )
    exact = num_examples * fractions
    sizes = np.floor(exact + 1e-9).astype(np.int64)
    rest = np.argsort(sizes - exact, kind="stable")[: num_examples - sizes.sum()]
    sizes[rest] += 1
    while sizes.min() < FEWEST:
        sizes[np.argmax(sizes)] -= 1
        sizes[np.argmin(sizes)] += 1
    return sizes
