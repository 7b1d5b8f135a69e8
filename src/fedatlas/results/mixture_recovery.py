"""How near learned mixture weights are to the true ones, where the data was generated from a mixture."""

from __future__ import annotations

import numpy as np

from fedatlas.data.store import ClientStore
from fedatlas.lazy import optimize


def true_weights(store: ClientStore, components: int | None, split: str = "train") -> np.ndarray | None:
    """pi of the clients of a split, [clients, components]; None where it is not known or has other components."""
    pi = store.truth.get("pi")
    if pi is None or components is None or pi.shape[1] != components:
        return None
    return pi[[int(client) for client in store.ids(split)]]


def matched(weights: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """The learned weights [..., clients, M], the components in the order that is nearest to the truth [clients, M]."""
    likeness = np.einsum("...ck,cj->...jk", weights, truth)  # of true component j to learned component k
    square = likeness.shape[-2:]
    orders = [optimize.linear_sum_assignment(one, maximize=True)[1] for one in likeness.reshape(-1, *square)]
    return np.take_along_axis(weights, np.reshape(orders, likeness.shape[:-1])[..., None, :], -1)


def recovery(weights: np.ndarray, truth: np.ndarray) -> dict[str, np.ndarray]:
    """Of learned weights [G, clients, M], matched to the truth [clients, M]; each [G].

    Returns:
        weights_distance: the cosine distance of the two matrices.
        clusters: the share of clients whose largest weight is that of the component that is truly their largest.
    """
    found = matched(weights.astype(np.float64), truth)
    product = (found * truth).sum((-1, -2))
    norms = np.sqrt((found**2).sum((-1, -2)) * (truth**2).sum())
    same = found.argmax(-1) == truth.argmax(-1)
    return {"weights_distance": 1 - product / norms, "clusters": same.mean(-1)}
