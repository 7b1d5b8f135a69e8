"""What partitioners share: dealing with counts, and drawing again until no client is too small."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fedatlas.errors import AtlasError

Partition = list[np.ndarray]
ATTEMPTS = 200


def groups_of(labels: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """The distinct labels, sorted, and the indices of each."""
    labels = np.asarray(labels)
    distinct, inverse, counts = np.unique(labels, return_inverse=True, return_counts=True)
    order = np.argsort(inverse, kind="stable")
    return distinct, np.split(order, np.cumsum(counts)[:-1]) if len(labels) else []


def deal(pools: list[np.ndarray], counts: np.ndarray, rng: np.random.Generator) -> Partition:
    """Deals shuffled pools of indices: client i gets counts[p, i] of pool p.

    Args:
        counts: [num_pools, num_clients]; a row must not sum to more than its pool holds.
    """
    hands: list[list[np.ndarray]] = [[] for _ in range(counts.shape[1])]
    for pool, row in zip(pools, counts, strict=True):
        pieces = np.split(rng.permutation(pool), np.cumsum(row))[:-1]
        for hand, piece in zip(hands, pieces, strict=True):
            hand.append(piece)
    return [np.sort(np.concatenate(hand)) for hand in hands]


def redraw(draw: Callable[[], Partition], *, minimum: int, attempts: int, law: str) -> Partition:
    """The first draw in which every client has at least `minimum` examples.

    Raises:
        AtlasError: if none of `attempts` draws has; says how near the best came.
    """
    best = -1
    for _ in range(attempts):
        partition = draw()
        smallest = min(len(indices) for indices in partition)
        if smallest >= minimum:
            return partition
        best = max(best, smallest)
    raise AtlasError(
        f"{law} left a client with fewer than {minimum} examples in each of {attempts} draws (at best {best}): "
        "take fewer clients, a larger alpha or a smaller minimum."
    )


def check_enough(num_examples: int, num_clients: int, minimum: int) -> None:
    """Raises AtlasError if the clients cannot have `minimum` examples each."""
    if num_clients < 1 or minimum < 1:
        raise AtlasError(f"there must be at least 1 client with 1 example, not {num_clients} with {minimum}.")
    if num_examples < num_clients * minimum:
        raise AtlasError(
            f"{num_examples} examples are too few for {num_clients} clients of at least {minimum}: take fewer clients."
        )
