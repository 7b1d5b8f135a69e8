"""Two clients whose objectives cancel: where FedAvg diverges although there is nothing to minimise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fedatlas.data.datasets.base import Dataset
from fedatlas.data.generated import write_generated
from fedatlas.data.outline import Outline
from fedatlas.data.store import ClientStore


class Quadratic(Dataset):
    """For FedPD's Claim 2.2: f_1(w) = w^2 and f_2(w) = -w^2, so that f = 0 everywhere. The objectives are ours.

    One example per client: x is the curvature and y the slope of x w^2 + y w. Nothing is random.
    """

    @property
    def outline(self) -> Outline:
        return Outline(("train",), 2, 1)

    def write(self, path: Path, raw: Path, seed: int, name: str, options: dict[str, Any]) -> ClientStore:
        slope = np.zeros(1, np.float32)
        clients = [(str(i), {"x": np.array([[c]], np.float32), "y": slope}) for i, c in enumerate((1, -1))]
        return write_generated(
            path,
            name=name,
            options=options,
            seed=seed,
            shape=(1,),
            splits={"train": clients},
            truth={},
            citation="Zhang, Hong, Dhople, Yin, Liu, FedPD, IEEE Transactions on Signal Processing 2021, Claim 2.2",
        )
