"""Synthetic LASSO data with a known sparse truth and shifted clients."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fedatlas.data.datasets.base import Dataset
from fedatlas.data.store import ClientStore, Feature, write_store
from fedatlas.seeds import generator

# (non-zero coordinates of w_real, clients, examples of a client)
VARIANTS = {"I": (512, 64, 128), "II": (64, 64, 128), "III": (8, 64, 128), "IV": (512, 256, 32)}
DIMENSION = 1024
VALIDATION_CLIENTS, VALIDATION_EXAMPLES = 16, 128


class Lasso(Dataset):
    """Data sets I to IV of Yuan, Zaheer, Reddi, ICML 2021, section A.2.1, equations (A.2) to (A.4).

    w_real = [1 .. 1, 0 .. 0] in R^1024 and b_real ~ N(0, 1); client m has a mean mu_m ~ N(0, I) of its own, and
    x = mu_m + delta with delta ~ N(0, I), y = <w_real, x> + b_real + eps with eps ~ N(0, 1).
    The paper does not describe its validation set; here it is 16 fresh clients of 128 examples.
    """

    variant: Literal["I", "II", "III", "IV"]

    def write(self, path: Path, raw: Path, seed: int, name: str, options: dict[str, Any]) -> ClientStore:
        nonzero, clients, examples = VARIANTS[self.variant]
        rng = generator(seed, "data")
        w_real = np.repeat([1.0, 0.0], [nonzero, DIMENSION - nonzero])
        b_real = rng.normal()

        def draw(prefix: str, number: int, size: int) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
            for m in range(number):
                mu = rng.normal(size=DIMENSION)
                x = mu + rng.normal(size=(size, DIMENSION))
                y = x @ w_real + b_real + rng.normal(size=size)
                yield f"{prefix}{m}", {"x": x.astype(np.float32), "y": y.astype(np.float32)}

        return write_store(
            path,
            name=name,
            options=options,
            seed=seed,
            kind="synthetic as in the paper",
            features=[Feature("x", "float32", (DIMENSION,)), Feature("y", "float32", ())],
            splits={
                "train": draw("", clients, examples),
                "validation": draw("validation-", VALIDATION_CLIENTS, VALIDATION_EXAMPLES),
            },
            truth={"w_real": w_real, "b_real": np.float64(b_real)},
            source={"citation": "Yuan, Zaheer, Reddi, Federated Composite Optimization, ICML 2021, section A.2.1"},
        )
