"""Natural clients: writers, roles, sessions."""

from __future__ import annotations

import numpy as np

from fedatlas.data.partitioners.base import Partition, groups_of
from fedatlas.errors import AtlasError


def by_group(
    labels: np.ndarray, rng: np.random.Generator, *, num_clients: int | None = None, minimum: int = 1
) -> Partition:
    """One client per distinct id, in the order of the sorted ids.

    Args:
        labels: the id of the writer, role or session of every example, [num_examples], numbers or strings.
        num_clients: if given, that many ids drawn at random without replacement; else all.
        minimum: ids with fewer examples are left out before any are drawn.

    Raises:
        AtlasError: if fewer than `num_clients` ids, or none, have enough examples.
    """
    partition = [indices for indices in groups_of(labels)[1] if len(indices) >= minimum]
    wanted = len(partition) if num_clients is None else num_clients
    if not 1 <= wanted <= len(partition):
        raise AtlasError(
            f"{wanted} clients are wanted, but {len(partition)} ids have at least {minimum} examples: "
            "take fewer clients or a smaller minimum."
        )
    chosen = np.sort(rng.choice(len(partition), wanted, replace=False))
    return [partition[client] for client in chosen]
