"""Clients whose points lie in different directions: what they pull at can be on a curved boundary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fedatlas.config import Count
from fedatlas.data.datasets.base import Dataset
from fedatlas.data.generated import write_generated
from fedatlas.data.outline import Outline
from fedatlas.data.store import ClientStore
from fedatlas.seeds import generator

DISTANCE, NOISE = 2.0, 0.3


class PointsAround(Dataset):
    """A client's points are 2 a_m + 0.3 N(0, I), where a_m is u + N(0, I) / sqrt(d), normed, and ||u|| = 1.

    An illustration of Yuan, Zaheer, Reddi, ICML 2021, section 3.2, which gives no data. The truth `optimum` is the
    point of the unit ball that is nearest to all points together: their mean, which lies outside, on the boundary.
    """

    dimension: Count
    clients: Count
    examples: Count

    @property
    def outline(self) -> Outline:
        return Outline(("train",), self.clients, self.examples, truth={"optimum": (self.dimension,)})

    def write(self, path: Path, raw: Path, seed: int, name: str, options: dict[str, Any]) -> ClientStore:
        rng = generator(seed, "data")
        common = _normed(rng.normal(size=self.dimension))
        around = common + rng.normal(size=(self.clients, self.dimension)) / np.sqrt(self.dimension)
        noise = NOISE * rng.normal(size=(self.clients, self.examples, self.dimension))
        points = (DISTANCE * _normed(around)[:, None] + noise).astype(np.float32)
        targets = np.zeros(self.examples, np.float32)
        mean = points.astype(np.float64).mean((0, 1))
        return write_generated(
            path,
            name=name,
            options=options,
            seed=seed,
            shape=(self.dimension,),
            splits={"train": [(str(m), {"x": x, "y": targets}) for m, x in enumerate(points)]},
            truth={"optimum": mean / max(np.linalg.norm(mean), 1)},
            citation="Yuan, Zaheer, Reddi, Federated Composite Optimization, ICML 2021, section 3.2",
        )


def _normed(vectors: np.ndarray) -> np.ndarray:
    """Vectors [..., d] of length one."""
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
