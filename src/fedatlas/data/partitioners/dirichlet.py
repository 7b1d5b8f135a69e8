"""Label skew by Dirichlet laws."""

from __future__ import annotations

import numpy as np

from fedatlas.data.partitioners.base import ATTEMPTS, Partition, check_enough, deal, groups_of, redraw
from fedatlas.errors import AtlasError


def dirichlet(
    labels: np.ndarray,
    rng: np.random.Generator,
    *,
    num_clients: int,
    alpha: float,
    label_groups: int | None = None,
    minimum: int = 1,
    attempts: int = ATTEMPTS,
) -> Partition:
    """Deals every class over the clients in proportions drawn from Dirichlet(alpha, ..., alpha).

    Per class of n examples: p ~ Dirichlet(alpha 1_clients), counts ~ Multinomial(n, p). Clients differ in size. Wang et
    al., Federated Learning with Matched Averaging, ICLR 2020; FedEM (Marfoq et al., NeurIPS 2021), section 4.

    Args:
        labels: [num_examples].
        label_groups: if given, the classes are first shuffled into that many groups of nearly equal numbers of
            classes, and every group is dealt as if it were one class (FedEM's code: 3 groups on CIFAR-10).
        minimum: the fewest examples of a client; the whole partition is drawn again until it is met.

    Raises:
        AtlasError: if there are too few examples, too few classes for the groups, or the minimum is never met.
    """
    check_enough(len(labels), num_clients, minimum)
    pools = groups_of(labels)[1]

    def draw() -> Partition:
        drawn = pools if label_groups is None else _merged(pools, label_groups, rng)
        shares = rng.dirichlet(np.full(num_clients, alpha), size=len(drawn))
        counts = np.stack([rng.multinomial(len(pool), share) for pool, share in zip(drawn, shares, strict=True)])
        return deal(drawn, counts, rng)

    return redraw(draw, minimum=minimum, attempts=attempts, law=f"Dirichlet({alpha}) over {num_clients} clients")


def _merged(pools: list[np.ndarray], groups: int, rng: np.random.Generator) -> list[np.ndarray]:
    if not 1 <= groups <= len(pools):
        raise AtlasError(f"label_groups is {groups}, but there are {len(pools)} classes: take 1 to {len(pools)}.")
    shuffled = rng.permutation(len(pools))
    return [np.concatenate([pools[label] for label in part]) for part in np.array_split(shuffled, groups)]


def dirichlet_equal(labels: np.ndarray, rng: np.random.Generator, *, num_clients: int, alpha: float) -> Partition:
    """Clients of equal size, each with class proportions of its own drawn from Dirichlet(alpha, ..., alpha).

    As the code of FedExP (Jhunjhunwala et al., ICLR 2023) does it: places are filled one by one in random order; the
    client of the place draws a class from its proportions, among those that still have examples. Therefore the last
    places are filled with what is left, and the clients' class counts are a little more even than Dirichlet's law.

    Args:
        labels: [num_examples]; the remainder of num_examples / num_clients is dealt one each to the first clients.

    Raises:
        AtlasError: if there are fewer examples than clients.
    """
    check_enough(len(labels), num_clients, 1)
    pools = groups_of(labels)[1]
    shares = rng.dirichlet(np.full(len(pools), alpha), size=num_clients)
    places = rng.permutation(np.arange(len(labels)) % num_clients)
    counts, left = np.zeros((len(pools), num_clients), np.int64), np.array([len(pool) for pool in pools])
    bounds = _bounds(shares, left)
    for client, uniform in zip(places, rng.random(len(labels)), strict=True):
        label = np.searchsorted(bounds[client], uniform, side="right")
        counts[label, client] += 1
        left[label] -= 1
        if left[label] == 0 and left.any():
            bounds = _bounds(shares, left)
    return deal(pools, counts, rng)


def _bounds(shares: np.ndarray, left: np.ndarray) -> np.ndarray:
    """Cumulated proportions over the classes that have examples left, [num_clients, num_classes], in [0, 1]."""
    open_shares = shares * (left > 0)
    # a client whose own classes are all used up takes any class that is left
    open_shares = np.where(open_shares.sum(1, keepdims=True) > 0, open_shares, left > 0)
    bounds = np.cumsum(open_shares / open_shares.sum(1, keepdims=True), axis=1)
    last = len(left) - 1 - np.argmax(left[::-1] > 0)
    bounds[:, last:] = np.inf
    return bounds
