"""What the generated data sets share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fedatlas.data.kinds import DataKind
from fedatlas.data.store import ClientStore, Feature, write_store

Clients = Iterable[tuple[str, dict[str, np.ndarray]]]


def write_generated(
    path: Path,
    *,
    name: str,
    options: Mapping[str, Any],
    seed: int,
    shape: tuple[int, ...],
    splits: Mapping[str, Clients],
    truth: Mapping[str, np.ndarray],
    citation: str,
    num_classes: int | None = None,
) -> ClientStore:
    """Writes a store of generated data: x float32 of `shape`, and y, a float32 target or an int32 class."""
    return write_store(
        path,
        name=name,
        options=options,
        seed=seed,
        kind=DataKind.SYNTHETIC,
        features=[Feature("x", "float32", shape), Feature("y", "int32" if num_classes else "float32", ())],
        splits=splits,
        truth=truth,
        num_classes=num_classes,
        source={"citation": citation},
    )


def shifted_linear(
    rng: np.random.Generator, w_real: np.ndarray, b_real: float, *, prefix: str, clients: int, examples: int
) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    """Clients of linear regression with shifted features: Yuan, Zaheer, Reddi, ICML 2021, equations (A.2) to (A.4).

    Client m has a mean mu_m ~ N(0, I) of its own; x = mu_m + delta with delta ~ N(0, I), of the shape of w_real, and
    y = <w_real, x> + b_real + eps with eps ~ N(0, 1).
    """
    for m in range(clients):
        mu = rng.normal(size=w_real.shape)
        x = mu + rng.normal(size=(examples, *w_real.shape))
        y = x.reshape(examples, -1) @ w_real.ravel() + b_real + rng.normal(size=examples)
        yield f"{prefix}{m}", {"x": x.astype(np.float32), "y": y.astype(np.float32)}
