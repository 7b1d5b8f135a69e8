"""The data set of examples that a program gives, known by their content."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fedatlas.data.catalogue import datasets
from fedatlas.data.datasets.base import Dataset
from fedatlas.data.store import ClientStore
from fedatlas.errors import AtlasError

NAME = "given"


class Given(Dataset):
    """Clients that `fa.clients` was given.

    Attributes:
        content: a digest of all their examples.
    """

    content: str

    def write(self, path: Path, raw: Path, seed: int, name: str, options: dict[str, Any]) -> ClientStore:
        raise AtlasError(f"{path} was made by a program, from clients that it gave: run that program again.")


datasets.register(NAME, Given)
