"""Binary labels for the non-convex penalised logistic regression of FedPD."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fedatlas.data.datasets.base import Dataset
from fedatlas.data.generated import write_generated
from fedatlas.data.store import ClientStore
from fedatlas.seeds import generator

CLIENTS, EXAMPLES, DIMENSION = 100, 400, 20


class PenalisedLogistic(Dataset):
    """Zhang, Hong, Dhople, Yin, Liu, FedPD, IEEE TSP 2021: section 4 with the data laws of the journal's appendix.

    100 clients of 400 examples; features a = (19 times N(0, 1), 1). Labels are y in {0, 1}; the paper's are b = 2y - 1.

    Attributes:
        variant: `weak`: fair coins, independent of a. `strong`: client i has a model x_i ~ U[-10, 10]^20 of its own
            and b = sign(<a, x_i> + eps), eps ~ N(0, 1). `strong-code`: the authors' MATLAB program, where
            x_i ~ 40 U[0, 1]^20 + integers in [-10, 10] and a label is turned when |<a, x_i>| is below
            N(0, 1) times the largest <a, x> of all clients.
    """

    variant: Literal["weak", "strong", "strong-code"]

    def write(self, path: Path, raw: Path, seed: int, name: str, options: dict[str, Any]) -> ClientStore:
        rng = generator(seed, "data")
        a = np.ones((CLIENTS, EXAMPLES, DIMENSION))
        a[..., :-1] = rng.normal(size=(CLIENTS, EXAMPLES, DIMENSION - 1))
        models, y = self._labels(a, rng)

        def clients() -> Iterator[tuple[str, dict[str, np.ndarray]]]:
            for i in range(CLIENTS):
                yield str(i), {"x": a[i].astype(np.float32), "y": y[i].astype(np.int32)}

        return write_generated(
            path,
            name=name,
            options=options,
            seed=seed,
            shape=(DIMENSION,),
            splits={"train": clients()},
            truth={} if models is None else {"models": models},
            citation="Zhang, Hong, Dhople, Yin, Liu, FedPD, IEEE Transactions on Signal Processing 2021, section 4",
            num_classes=2,
        )

    def _labels(self, a: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray | None, np.ndarray]:
        """The clients' models [CLIENTS, DIMENSION], if they have any, and whether b = 1 [CLIENTS, EXAMPLES]."""
        if self.variant == "weak":
            return None, rng.random(a.shape[:2]) < 0.5
        models = rng.uniform(-10, 10, (CLIENTS, DIMENSION))
        if self.variant == "strong":
            return models, np.einsum("ned,nd->ne", a, models) + rng.normal(size=a.shape[:2]) > 0
        models = 40 * rng.random((CLIENTS, DIMENSION)) + rng.integers(-10, 11, (CLIENTS, DIMENSION))
        values = np.einsum("ned,nd->ne", a, models)
        return models, _turned(values, rng.normal(size=values.shape) * values.max())


def _turned(values: np.ndarray, threshold: np.ndarray) -> np.ndarray:
    """The program's masks, one after another: each sees the marks that those before it have left."""
    marks = values.copy()
    marks[(marks > 0) & (marks > threshold)] = 1
    marks[(marks > 0) & (marks < threshold)] = 2
    marks[(marks < 0) & (-marks > threshold)] = 2
    marks[(marks < 0) & (-marks < threshold)] = 1
    return marks == 1
