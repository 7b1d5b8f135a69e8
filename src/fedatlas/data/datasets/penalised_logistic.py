"""Penalised logistic regression: binary labels for the non-convex problem of FedPD."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, model_validator

from fedatlas.config import Count
from fedatlas.data.datasets.base import Dataset
from fedatlas.data.generated import write_generated
from fedatlas.data.outline import Outline
from fedatlas.data.store import ClientStore
from fedatlas.seeds import generator

EXAMPLES, DIMENSION = 400, 20


class PenalisedLogistic(Dataset):
    """Zhang, Hong, Dhople, Yin, Liu, FedPD, IEEE TSP 2021: section 4 with the data laws of the journal's appendix.

    Clients of 400 examples; features a = (19 times N(0, 1), 1). Labels are y in {0, 1}; the paper's are b = 2y - 1.

    Attributes:
        variant: `weak`: fair coins, independent of a. `strong`: client i has a model x_i ~ U[-10, 10]^20 of its own
            and b = sign(<a, x_i> + eps), eps ~ N(0, 1). `strong-code`: the authors' MATLAB program, where
            x_i ~ 40 U[0, 1]^20 + integers in [-10, 10] and a label is turned when |<a, x_i>| is below
            N(0, 1) times the largest <a, x> of all clients. `mixed`: as `strong`, but all clients have the same
            examples except for `own` of them, so that the gradients of two clients differ by own/400 times as much.
        own: of `mixed`, the examples that each client has for itself.
        clients: 100 in the paper.
    """

    variant: Literal["weak", "strong", "strong-code", "mixed"]
    own: Annotated[int, Field(ge=0, le=EXAMPLES)] | None = None
    clients: Count = 100

    @model_validator(mode="after")
    def _own_of_mixed(self) -> PenalisedLogistic:
        if (self.own is not None) != (self.variant == "mixed"):
            raise ValueError("give 'own' with the variant 'mixed', and only with it")
        return self

    @property
    def outline(self) -> Outline:
        truth = {} if self.variant == "weak" else {"models": (self.clients, DIMENSION)}
        return Outline(("train",), self.clients, EXAMPLES, 2, truth)

    def write(self, path: Path, raw: Path, seed: int, name: str, options: dict[str, Any]) -> ClientStore:
        rng = generator(seed, "data")
        a = np.ones((self.clients, EXAMPLES, DIMENSION))
        a[..., :-1] = rng.normal(size=(*a.shape[:-1], DIMENSION - 1))
        models, y = self._labels(a, rng)
        if self.own is not None:
            shared = EXAMPLES - self.own
            a[:, :shared], y[:, :shared] = a[0, :shared], y[0, :shared]

        def clients() -> Iterator[tuple[str, dict[str, np.ndarray]]]:
            for i in range(self.clients):
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
        """The clients' models [clients, DIMENSION], if they have any, and whether b = 1 [clients, EXAMPLES]."""
        if self.variant == "weak":
            return None, rng.random(a.shape[:2]) < 0.5
        models = rng.uniform(-10, 10, (self.clients, DIMENSION))
        if self.variant in ("strong", "mixed"):
            return models, np.einsum("ned,nd->ne", a, models) + rng.normal(size=a.shape[:2]) > 0
        models = 40 * rng.random(models.shape) + rng.integers(-10, 11, models.shape)
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
