"""Over-parameterised linear regression whose features lie near a low-dimensional subspace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from fedatlas.data.datasets.base import Dataset
from fedatlas.data.generated import write_generated
from fedatlas.data.outline import Outline
from fedatlas.data.store import ClientStore
from fedatlas.seeds import generator

CLIENTS, EXAMPLES, DECAY = 20, 30, 1.1


class AnisotropicRegression(Dataset):
    """FedDuA, section 5 and appendix G.2: 20 clients of 30 examples in R^d.

    x ~ N(0, Sigma), Sigma diagonal with Sigma_kk = k^-1.1, and y = <w_i, x> without noise; the coordinates of w_i are
    N(m_i, 1) with one m_i ~ N(0, 0.1^2) per client, as FedExP's code (Jhunjhunwala et al., ICLR 2023) reads that law.
    Nothing is normalised. 600 equations in 1000 unknowns: the least training loss is 0.

    Attributes:
        dimension: d; the paper has 1000. More than 600, as the loss has no zero otherwise.
    """

    dimension: Annotated[int, Field(gt=CLIENTS * EXAMPLES)] = 1000

    @property
    def outline(self) -> Outline:
        truth = {"models": (CLIENTS, self.dimension), "variances": (self.dimension,)}
        return Outline(("train",), CLIENTS, EXAMPLES, truth=truth)

    def write(self, path: Path, raw: Path, seed: int, name: str, options: dict[str, Any]) -> ClientStore:
        rng = generator(seed, "data")
        deviations = np.arange(1, self.dimension + 1) ** (-DECAY / 2)
        models = rng.normal(0, 0.1, (CLIENTS, 1)) + rng.normal(size=(CLIENTS, self.dimension))

        def clients() -> Iterator[tuple[str, dict[str, np.ndarray]]]:
            for i, w in enumerate(models):
                x = rng.normal(size=(EXAMPLES, self.dimension)) * deviations
                yield str(i), {"x": x.astype(np.float32), "y": (x @ w).astype(np.float32)}

        return write_generated(
            path,
            name=name,
            options=options,
            seed=seed,
            shape=(self.dimension,),
            splits={"train": clients()},
            truth={"models": models, "variances": deviations**2},
            citation="FedDuA: doubly adaptive federated learning, section 5 and appendix G.2",
        )
