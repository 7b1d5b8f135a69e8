"""Label skew on two levels: coarse labels, and fine labels within them."""

from __future__ import annotations

import numpy as np

from fedatlas.data.partitioners.base import Partition, check_enough, groups_of
from fedatlas.errors import AtlasError


def pachinko(
    labels: np.ndarray,
    rng: np.random.Generator,
    *,
    coarse: np.ndarray,
    num_clients: int,
    alpha: float,
    beta: float,
) -> Partition:
    """Pachinko allocation: clients of equal size with correlated classes.

    Client by client: theta ~ Dirichlet(alpha) over the coarse labels, phi_c ~ Dirichlet(beta) over the fine labels of
    each coarse label c; every example draws c from theta, then a fine label from phi_c, then an example of it without
    replacement. A label that is used up is taken out and the rest renormalised. Reddi et al., Adaptive Federated
    Optimization, ICLR 2021, appendix F; FedEM uses alpha 0.4 and beta 10 on CIFAR-100 with 100 clients of 600.

    Args:
        labels: the fine labels, [num_examples].
        coarse: the coarse labels, [num_examples]; a fine label belongs to one coarse label.

    Returns:
        Clients of num_examples // num_clients examples; the remainder stays unused.

    Raises:
        AtlasError: if a fine label has two coarse labels, or there are fewer examples than clients.
    """
    check_enough(len(labels), num_clients, 1)
    pools = [list(rng.permutation(pool)) for pool in groups_of(labels)[1]]
    parents = _parents(np.asarray(coarse), pools)
    return [np.sort(_client(pools, parents, len(labels) // num_clients, alpha, beta, rng)) for _ in range(num_clients)]


def _parents(coarse: np.ndarray, pools: list[list[int]]) -> np.ndarray:
    """The coarse label's number of every fine label."""
    found = [np.unique(coarse[pool]) for pool in pools]
    for fine, values in enumerate(found):
        if len(values) > 1:
            raise AtlasError(f"fine label number {fine} has {len(values)} coarse labels ({values}): it must have one.")
    return np.unique(np.concatenate(found), return_inverse=True)[1]


def _client(
    pools: list[list[int]], parents: np.ndarray, size: int, alpha: float, beta: float, rng: np.random.Generator
) -> np.ndarray:
    """Takes the examples of one client out of the pools."""
    theta = rng.dirichlet(np.full(parents.max() + 1, alpha))
    phi = np.empty(len(pools))
    for parent in range(len(theta)):
        children = parents == parent
        phi[children] = rng.dirichlet(np.full(children.sum(), beta))
    taken, bounds = [], _bounds(theta, phi, parents, pools)
    for uniform in rng.random(size):
        fine = int(np.searchsorted(bounds, uniform, side="right"))
        taken.append(pools[fine].pop())
        if not pools[fine] and len(taken) < size:
            bounds = _bounds(theta, phi, parents, pools)
    return np.array(taken)


def _bounds(theta: np.ndarray, phi: np.ndarray, parents: np.ndarray, pools: list[list[int]]) -> np.ndarray:
    """Cumulated probabilities of the fine labels that have examples left, in [0, 1]."""
    left = np.array([bool(pool) for pool in pools])
    inside = np.bincount(parents, phi * left, minlength=len(theta))
    law = np.where(left, theta[parents] * phi / np.where(inside > 0, inside, 1)[parents], 0)
    # a client none of whose labels has an example left takes any label that has
    law = law if law.sum() > 0 else left.astype(float)
    bounds = np.cumsum(law / law.sum())
    bounds[np.flatnonzero(left)[-1] :] = np.inf
    return bounds
