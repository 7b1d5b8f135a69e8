"""What a client store holds, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fedatlas.data.label_distances import has_classes, label_counts
from fedatlas.data.store import ClientStore


@dataclass(frozen=True)
class SplitSummary:
    """One split.

    Attributes:
        sizes: the examples of each client, [num_clients].
        class_counts: the examples of each class, [num_classes]; None where y is not one class an example.
    """

    name: str
    sizes: np.ndarray
    class_counts: np.ndarray | None

    @property
    def clients(self) -> int:
        return len(self.sizes)

    @property
    def examples(self) -> int:
        return int(self.sizes.sum())

    @property
    def words(self) -> str:
        """'100 clients, 50000 examples (11 to 1500 a client, median 480)'."""
        spread = f"{self.sizes.min()} to {self.sizes.max()} a client, median {np.median(self.sizes):.0f}"
        return f"{self.clients} clients, {self.examples} examples ({spread})"


def summarise(store: ClientStore) -> list[SplitSummary]:
    """Every split of a store; reads all of its labels."""
    return [
        SplitSummary(split, store.sizes(split), label_counts(store, split).sum(0) if has_classes(store) else None)
        for split in store.splits
    ]


def shapes(store: ClientStore) -> str:
    """'x uint8[28, 28], y int32[]'."""
    return ", ".join(f"{f.name} {f.dtype}{list(f.shape)}" for f in store.features.values())


def raw_bytes(store: ClientStore) -> int:
    """The bytes of the store's arrays alone."""
    example = sum(feature.example_bytes for feature in store.features.values())
    return example * sum(int(store.sizes(split).sum()) for split in store.splits)


def disk_bytes(folder: Path) -> int:
    """The bytes of all files of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def describe(store: ClientStore) -> list[str]:
    """Lines for a person: what the store is, its splits and classes, where it comes from."""
    manifest = store.manifest
    lines = [
        f"{manifest['name']} ({store.kind}), seed {manifest['seed']}, options {manifest['options']}",
        f"  {shapes(store)}; {disk_bytes(store.path) / 1e6:.1f} MB; sha256 {store.sha256}",
    ]
    for split in summarise(store):
        lines.append(f"  {split.name}: {split.words}")
        if split.class_counts is not None:
            lines.append(f"    examples of each class: {' '.join(map(str, split.class_counts))}")
    return lines + [f"  {key}: {value}" for key, value in _facts(manifest["source"]).items()]


def _facts(source: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in source.items() if value}
