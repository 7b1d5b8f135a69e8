"""Few labels per client."""

from __future__ import annotations

import numpy as np

from fedatlas.data.partitioners.base import Partition, check_enough, deal, groups_of
from fedatlas.errors import AtlasError


def pathological(
    labels: np.ndarray, rng: np.random.Generator, *, num_clients: int, labels_per_client: int
) -> Partition:
    """Cuts the classes into shards and deals `labels_per_client` of them to every client at random.

    McMahan et al., AISTATS 2017, section 3, save that no shard crosses from one class into the next, so that a client
    has at most `labels_per_client` classes. A class has a number of shards in proportion to its size, at least one.

    Args:
        labels: [num_examples].

    Raises:
        AtlasError: if there are fewer shards than classes, or fewer examples than shards.
    """
    pools = groups_of(labels)[1]
    shards = num_clients * labels_per_client
    check_enough(len(labels), num_clients, labels_per_client)
    if shards < len(pools):
        raise AtlasError(
            f"{num_clients} clients with {labels_per_client} labels each cannot hold {len(pools)} classes: "
            "take more clients or more labels per client."
        )
    shards_of = _apportion(np.array([len(pool) for pool in pools]), shards)
    pieces = [
        piece for pool, k in zip(pools, shards_of, strict=True) for piece in np.array_split(rng.permutation(pool), k)
    ]
    owners = rng.permutation(np.arange(shards) % num_clients)
    counts = np.zeros((shards, num_clients), np.int64)
    counts[np.arange(shards), owners] = [len(piece) for piece in pieces]
    return deal(pieces, counts, rng)


def _apportion(sizes: np.ndarray, shards: int) -> np.ndarray:
    """Shards per class in proportion to its size, at least one and at most its size each."""
    given = np.ones(len(sizes), np.int64)
    for _ in range(shards - len(sizes)):
        # the class with the largest shards is cut once more
        given[np.argmax(np.where(given < sizes, sizes / given, -1))] += 1
    return given
