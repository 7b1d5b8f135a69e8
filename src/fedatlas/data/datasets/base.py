"""The contract of data sets: options, and how a store is made from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from fedatlas.config import Strict
from fedatlas.data.store import ClientStore


class Dataset(Strict):
    """A data set in one partition; its fields are its options.

    Class attributes:
        raw: the names of the sources (data/sources.yaml) that must have been fetched; none for a generator.
    """

    raw: ClassVar[tuple[str, ...]] = ()

    def write(self, path: Path, raw: Path, seed: int, name: str, options: dict[str, Any]) -> ClientStore:
        """Makes the client store at `path` from the fetched files under `raw`."""
        raise NotImplementedError
