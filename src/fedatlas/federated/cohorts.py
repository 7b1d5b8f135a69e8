"""Which clients take part in a round, and how they are laid out for the computation."""

from __future__ import annotations

import numpy as np

from fedatlas.federated.client_reader import NO_CLIENT

CACHE_BYTES = 2**18  # a quarter of a common second-level cache: a step holds several arrays of that size
GROUP_BYTES = 5 * 2**18  # somewhat more than that cache: a step needs not all of its arrays at once


def sample(num_clients: int, size: int, seed: int, round_number: int) -> np.ndarray:
    """The numbers of the clients of a round [size], drawn uniformly without replacement, in ascending order.

    They follow from the seed and the round alone: a resumed run draws the same, and so does every algorithm.
    """
    rng = np.random.default_rng([seed, round_number])
    return np.sort(rng.choice(num_clients, size, replace=False)).astype(np.int32)


def fitting_group(configurations: int, configuration_bytes: int) -> int:
    """How many configurations to train together, so that the parameters of one client stay in a core's cache.

    The most that divide all configurations evenly.
    """
    evenly = [size for size in range(1, configurations + 1) if configurations % size == 0]
    return max([size for size in evenly if size * configuration_bytes <= GROUP_BYTES], default=1)


def fitting_chunk(clients: int, client_bytes: int) -> int:
    """How many of a shard's clients to vectorise at once, so that their parameters stay in a core's cache.

    A local step passes over the parameters several times. Chunks are made of one size: a place that no client fills
    takes as long as one that is filled.
    """
    most = max(1, min(clients, CACHE_BYTES // client_bytes))
    evenly = max(size for size in range(1, most + 1) if clients % size == 0)
    return evenly if 2 * evenly >= most else -(-clients // -(-clients // most))


def lay_out(clients: np.ndarray, shards: int, chunk: int) -> list[np.ndarray]:
    """The clients spread over shards, each [chunks, chunk], filled up with NO_CLIENT."""
    parts = [part for part in np.array_split(clients, shards) if len(part)] if shards > 1 else [clients]
    return [_in_chunks(part.astype(np.int32), chunk) for part in parts]


def _in_chunks(clients: np.ndarray, chunk: int) -> np.ndarray:
    places = np.full(-(-len(clients) // chunk) * chunk, NO_CLIENT, np.int32)
    places[: len(clients)] = clients
    return places.reshape(-1, chunk)
