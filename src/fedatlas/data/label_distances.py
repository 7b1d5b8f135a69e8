"""How much the clients' label laws differ."""

from __future__ import annotations

import functools

import numpy as np

from fedatlas.data.partitioners.dirichlet import dirichlet_equal
from fedatlas.data.store import ClientStore


def has_classes(store: ClientStore) -> bool:
    """Whether every example has one class."""
    return store.num_classes is not None and not store.features["y"].shape


@functools.lru_cache(maxsize=64)
def label_counts(store: ClientStore, split: str) -> np.ndarray:
    """The examples of each class at each client, [num_clients, num_classes]."""
    labels = (store.read(split, client)["y"] for client in range(len(store.ids(split))))
    return np.stack([np.bincount(y, minlength=store.num_classes) for y in labels])


def total_variation(counts: np.ndarray) -> np.ndarray:
    """The distance (1/2) sum_c |p_i(c) - p(c)| of each client's label law to the pooled one, [num_clients], in [0, 1].

    Args:
        counts: [num_clients, num_classes].
    """
    laws = counts / counts.sum(1, keepdims=True)
    return np.abs(laws - counts.sum(0) / counts.sum()).sum(1) / 2


def dirichlet_distances(
    labels: np.ndarray, alphas: np.ndarray, num_clients: int, rng: np.random.Generator
) -> np.ndarray:
    """The same of Dirichlet partitions of these labels into clients of equal size, [num_alphas, num_clients]."""
    inverse = np.unique(labels, return_inverse=True)[1]

    def counts(alpha: float) -> np.ndarray:
        parts = dirichlet_equal(inverse, rng, num_clients=num_clients, alpha=alpha)
        return np.stack([np.bincount(inverse[part], minlength=inverse.max() + 1) for part in parts])

    return np.stack([total_variation(counts(alpha)) for alpha in alphas])
