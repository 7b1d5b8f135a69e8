"""Two clients with every other link of a chain: what one of them can do next, it learns from the other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from fedatlas.data.datasets.base import Dataset
from fedatlas.data.generated import write_generated
from fedatlas.data.outline import Outline
from fedatlas.data.store import ClientStore


class Chain(Dataset):
    """FedPD, Claim 2.1: one example for each term of a sum, x its unit vector; client 0 has the first, third, ... term.

    The terms are those of the problem `chain`. Nothing is random.

    Attributes:
        links: how many terms there are, an even number, so that both clients have as many.
    """

    links: Annotated[int, Field(ge=2, multiple_of=2)]

    @property
    def outline(self) -> Outline:
        return Outline(("train",), 2, self.links // 2)

    def write(self, path: Path, raw: Path, seed: int, name: str, options: dict[str, Any]) -> ClientStore:
        terms, none = np.eye(self.links, dtype=np.float32), np.zeros(self.links // 2, np.float32)
        return write_generated(
            path,
            name=name,
            options=options,
            seed=seed,
            shape=(self.links,),
            splits={"train": [(str(i), {"x": terms[i::2], "y": none}) for i in range(2)]},
            truth={},
            citation="Zhang, Hong, Dhople, Yin, Liu, FedPD, IEEE Transactions on Signal Processing 2021, Claim 2.1",
        )
