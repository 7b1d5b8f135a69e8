"""Federated EMNIST by writer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from fedatlas.config import REAL, Count
from fedatlas.data.datasets.base import Fetched
from fedatlas.data.formats.tff_sqlite import client_ids, read_examples
from fedatlas.data.labelled import FRACTIONS, HeldOut, Splits, seen_and_unseen
from fedatlas.data.outline import Outline, seen, with_unseen
from fedatlas.data.partitioners.splits import splits
from fedatlas.data.store import ClientStore, Feature, write_store
from fedatlas.errors import AtlasError
from fedatlas.seeds import generator

ARCHIVE = "emnist_all.sqlite"
PREFIX = {10: "digits_only", 62: "all"}
WRITERS = {10: 3383, 62: 3400}
MOST_EXAMPLES = 1000  # more than any writer has
Arrays = dict[str, np.ndarray]


class Femnist(Fetched):
    """x: images [28, 28], bytes, background 0 (the archive's 1 - pixel); y: 10 digits, 26 capitals, 26 small letters.

    The clients are the writers of TFF's archive: 3 383 of digits, 3 400 of all classes.

    Attributes:
        classes: 10, the digits alone, or 62.
        clients: how many writers, as a number or as a fraction (rounded down); or all.
        chosen: the first ones in the order of their ids, as the code of FCO takes them, or drawn at random.
        splits: `standard`, the archive's own training and test examples of each writer; else as in the other data sets.
        held_out: fraction of the writers that training never sees.
    """

    sources: ClassVar = ("femnist",)

    classes: Literal[10, 62]
    clients: Count | Annotated[float, Field(gt=0, lt=1), REAL] | Literal["all"]
    chosen: Literal["first", "random"]
    splits: Splits
    held_out: HeldOut = None

    @property
    def outline(self) -> Outline:
        wanted = 1 if self.clients == "all" else self.clients
        clients = int(wanted) if isinstance(self.clients, int) else max(1, int(wanted * WRITERS[self.classes]))
        splits = ("train", "test") if self.splits == "standard" else tuple(FRACTIONS[self.splits])
        return Outline(with_unseen(splits, self.held_out), seen(clients, self.held_out), MOST_EXAMPLES, self.classes)

    def write(self, path: Path, raw: Path, seed: int, name: str, options: dict[str, Any]) -> ClientStore:
        source, rng = self.open(raw), generator(seed, "partition")
        writers = self._choose(client_ids(source.path(ARCHIVE), f"{PREFIX[self.classes]}_train"), rng)
        clients = self._standard(source.path(ARCHIVE), writers)
        if self.splits != "standard":
            clients = _cut(clients, self.splits, rng)
        return write_store(
            path,
            name=name,
            options=options,
            seed=seed,
            kind=source.kind,
            features=[Feature("x", "uint8", (28, 28)), Feature("y", "int32", ())],
            splits=seen_and_unseen(clients, self.held_out, rng),
            num_classes=self.classes,
            source=source.description,
        )

    def _choose(self, writers: list[str], rng: np.random.Generator) -> list[str]:
        wanted = len(writers) if self.clients == "all" else self.clients
        number = int(wanted if wanted >= 1 else max(1, wanted * len(writers)))
        if number > len(writers):
            raise AtlasError(f"dataset 'femnist': 'clients' is {number}, but the archive has {len(writers)} writers.")
        if self.chosen == "first":
            return writers[:number]
        return [writers[i] for i in np.sort(rng.choice(len(writers), number, replace=False))]

    def _standard(self, archive: Path, writers: list[str]) -> dict[str, list[tuple[str, Arrays]]]:
        prefix = PREFIX[self.classes]
        return {split: list(_writers(archive, f"{prefix}_{split}", writers)) for split in ("train", "test")}


def _writers(archive: Path, split: str, writers: list[str]) -> Iterator[tuple[str, Arrays]]:
    """Each writer's examples; bytes from the start, as the archive's floats would need four times the memory."""
    images: dict[str, list[np.ndarray]] = {writer: [] for writer in writers}
    labels: dict[str, list[int]] = {writer: [] for writer in writers}
    for writer, example in read_examples(archive, split, writers):
        images[writer].append(np.rint((1 - example["pixels"]) * 255).astype(np.uint8))
        labels[writer].append(int(example["label"][0]))
    for writer in writers:
        x = np.array(images.pop(writer), np.uint8).reshape(-1, 28, 28)
        yield writer, {"x": x, "y": np.array(labels[writer], np.int32)}


def _cut(standard: dict[str, list], how: str, rng: np.random.Generator) -> dict[str, list[tuple[str, Arrays]]]:
    """All examples of each writer, cut anew."""
    pooled = [
        (writer, {key: np.concatenate([train[key], test[key]]) for key in train})
        for (writer, train), (_, test) in zip(standard["train"], standard["test"], strict=True)
    ]
    parts = splits([np.arange(len(arrays["y"])) for _, arrays in pooled], rng, fractions=FRACTIONS[how])
    return {
        split: [
            (writer, {key: array[piece] for key, array in arrays.items()})
            for (writer, arrays), piece in zip(pooled, pieces, strict=True)
        ]
        for split, pieces in parts.items()
    }
