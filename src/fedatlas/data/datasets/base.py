"""The contract of data sets: options, and how a store is made from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import model_validator

from fedatlas.config import Strict
from fedatlas.data.kinds import DataKind
from fedatlas.data.outline import Outline
from fedatlas.data.raw import Raw
from fedatlas.data.store import ClientStore

STOOD_IN = {"cifar10", "cifar100", "femnist", "haxby", "mnist", "shakespeare"}  # what `data.standins` can make


class Dataset(Strict):
    """A data set in one partition; its fields are its options."""

    @property
    def raw(self) -> tuple[str, ...]:
        """The sources (data/sources.yaml) that must have been fetched; none for a generator."""
        return ()

    @property
    def outline(self) -> Outline | None:
        """What is known of its store before it is made; None if nothing is."""
        return None

    def write(self, path: Path, raw: Path, seed: int, name: str, options: dict[str, Any]) -> ClientStore:
        """Makes the client store at `path` from the fetched files under `raw`."""
        raise NotImplementedError


class Fetched(Dataset):
    """A data set that is made from fetched files, or from a stand-in in the same files.

    Class attributes:
        sources: the names of its sources, of which the first has the examples.

    Attributes:
        stand_in: whether it is made from a stand-in, or from a stand-in of which size.
    """

    sources: ClassVar[tuple[str, ...]]
    stand_in: bool | Literal["tiny", "quick", "full"] = False

    @model_validator(mode="after")
    def _something_stands_in(self) -> Fetched:
        if self.stand_in and not (self.sources and {*self.sources} <= STOOD_IN):
            raise ValueError("'stand_in' is given, but nothing stands in for this data: leave it out")
        return self

    @property
    def raw(self) -> tuple[str, ...]:
        size = f"-{self.stand_in}" if isinstance(self.stand_in, str) else ""
        return tuple(f"{source}-stand-in{size}" if self.stand_in else source for source in self.sources)

    def open(self, raw: Path) -> Raw:
        """The folder of the first source.

        Raises:
            AtlasError: as `Raw.open`.
        """
        return Raw.open(raw, self.raw[0])

    def kind(self, raw: Path) -> DataKind:
        """What the store's manifest calls the data."""
        return self.open(raw).kind

    def description(self, raw: Path) -> dict[str, Any]:
        """What the store's manifest says about where the data comes from."""
        return self.open(raw).description
