"""Synthetic LASSO data with a known sparse truth and shifted clients."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np

from fedatlas.data.datasets.base import Dataset
from fedatlas.data.generated import shifted_linear, write_generated
from fedatlas.data.outline import Outline
from fedatlas.data.store import ClientStore
from fedatlas.seeds import generator

# (non-zero coordinates of w_real, clients, examples of a client)
VARIANTS = {"I": (512, 64, 128), "II": (64, 64, 128), "III": (8, 64, 128), "IV": (512, 256, 32)}
DIMENSION = 1024


class Lasso(Dataset):
    """Data sets I to IV of Yuan, Zaheer, Reddi, ICML 2021, section A.2.1, equations (A.2) to (A.4).

    w_real = [1 .. 1, 0 .. 0] in R^1024 and b_real ~ N(0, 1), clients as in `shifted_linear`.
    The paper does not describe its validation set; here it is 16 fresh clients of 128 examples.
    """

    variant: Literal["I", "II", "III", "IV"]

    @property
    def outline(self) -> Outline:
        _, clients, examples = VARIANTS[self.variant]
        return Outline(("train", "validation"), clients, examples, truth={"w_real": (DIMENSION,), "b_real": ()})

    def write(self, path: Path, raw: Path, seed: int, name: str, options: dict[str, Any]) -> ClientStore:
        nonzero, clients, examples = VARIANTS[self.variant]
        rng = generator(seed, "data")
        w_real = np.repeat([1.0, 0.0], [nonzero, DIMENSION - nonzero])
        b_real = rng.normal()
        return write_generated(
            path,
            name=name,
            options=options,
            seed=seed,
            shape=(DIMENSION,),
            splits={
                "train": shifted_linear(rng, w_real, b_real, prefix="", clients=clients, examples=examples),
                "validation": shifted_linear(rng, w_real, b_real, prefix="validation-", clients=16, examples=128),
            },
            truth={"w_real": w_real, "b_real": np.float64(b_real)},
            citation="Yuan, Zaheer, Reddi, Federated Composite Optimization, ICML 2021, section A.2.1",
        )
