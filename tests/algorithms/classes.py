"""A small data set of three classes, and softmax regression on it by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fedatlas.data.store import ClientStore, Feature, write_store

CLASSES, INPUTS = 3, 2


def write_classes(path: Path, sizes: Sequence[int]) -> ClientStore:
    """A store of three overlapping classes, of which every client has its own mixture."""
    rng = np.random.default_rng(4)

    def client(size: int) -> dict[str, np.ndarray]:
        y = rng.choice(CLASSES, size, p=rng.dirichlet(np.ones(CLASSES))).astype(np.int32)
        centres = np.array([[1.0, 0.0], [-1.0, 0.5], [0.0, -1.0]])
        return {"x": centres[y] + rng.normal(size=(size, INPUTS)), "y": y}

    return write_store(
        path,
        name="classes",
        options={},
        seed=4,
        kind="synthetic as in the paper",
        features=[Feature("x", "float64", (INPUTS,)), Feature("y", "int32", ())],
        splits={"train": [(str(i), client(size)) for i, size in enumerate(sizes)]},
        num_classes=CLASSES,
    )


@dataclass(frozen=True)
class Softmax:
    """The mean cross-entropy of every client's examples x [n_i, inputs + 1] and labels."""

    examples: list[tuple[np.ndarray, np.ndarray]]

    def gradients(self, w: np.ndarray) -> np.ndarray:
        """The gradient of every client's objective at w [d], row by row of (W, b); [num_clients, d]."""
        return np.array([_gradient(x, y, w.reshape(CLASSES, -1)).ravel() for x, y in self.examples])

    @property
    def smoothness(self) -> float:
        """An L: the Hessian of the cross-entropy by the outputs is 1/2 at most."""
        return max(np.linalg.eigvalsh(x.T @ x / len(x))[-1] for x, _ in self.examples) / 2


def classes_by_hand(store: ClientStore) -> Softmax:
    examples = []
    for number in range(len(store.sizes("train"))):
        arrays = store.read("train", number)
        examples.append((np.column_stack([arrays["x"], np.ones(len(arrays["x"]))]), np.asarray(arrays["y"])))
    return Softmax(examples)


def _gradient(x: np.ndarray, y: np.ndarray, w: np.ndarray) -> np.ndarray:
    odds = np.exp(x @ w.T)
    return (odds / odds.sum(-1, keepdims=True) - np.eye(CLASSES)[y]).T @ x / len(x)
