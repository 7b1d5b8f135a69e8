"""Shakespeare's plays: every role is a client that predicts its next character."""

from __future__ import annotations

import gzip
import string
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from fedatlas.config import Count
from fedatlas.data.datasets.base import Fetched
from fedatlas.data.formats.plays import as_one_text, read_roles
from fedatlas.data.labelled import FRACTIONS, HeldOut, seen_and_unseen
from fedatlas.data.outline import Outline, seen, with_unseen
from fedatlas.data.raw import Raw
from fedatlas.data.store import ClientStore, Feature, write_store
from fedatlas.errors import AtlasError
from fedatlas.seeds import generator

ALPHABETS = {
    # the 79 characters that the roles' lines consist of: the size of the embedding in FedDuA
    "plays": " !\"&'(),-.0123456789:;>?ABCDEFGHIJKLMNOPQRSTUVWXYZ[]abcdefghijklmnopqrstuvwxyz}",
    "printable": string.printable,
}


class Shakespeare(Fetched):
    """LEAF's roles (Caldas et al., 2018) of the works of Shakespeare.

    x is a window of characters, uint8 [window]: positions in the alphabet. y is the character after it, int32 []
    (`target: next`), or the window moved on by one character, uint8 [window] (`target: sequence`).

    Attributes:
        window: characters of an example.
        stride: characters from one window to the next of the same role; 1 in the papers.
        clients: how many of the roles to draw, or all that are long enough for one window in each split.
        splits: cut of each role's text by time, so that no window spans two splits.
        held_out: fraction of the roles that training never sees; their splits are unseen_train, ...
    """

    sources: ClassVar = ("shakespeare",)

    window: Count
    target: Literal["next", "sequence"]
    stride: Count
    alphabet: Literal["plays", "printable"]
    clients: Count | Literal["all"]
    splits: Literal["none", "80/20", "60/20/20"]
    held_out: HeldOut = None

    @property
    def outline(self) -> Outline:
        clients = None if self.clients == "all" else seen(self.clients, self.held_out)
        classes = len(ALPHABETS[self.alphabet])
        return Outline(with_unseen(tuple(FRACTIONS[self.splits]), self.held_out), clients, classes=classes)

    def write(self, path: Path, raw: Path, seed: int, name: str, options: dict[str, Any]) -> ClientStore:
        source, rng = self.open(raw), generator(seed, "partition")
        drawn = self._draw(read_roles(_text(source)), rng)
        cut = {split: [(role, pieces[split]) for role, pieces in drawn.items()] for split in FRACTIONS[self.splits]}
        clients = seen_and_unseen(cut, self.held_out, rng)
        y = Feature("y", "int32", ()) if self.target == "next" else Feature("y", "uint8", (self.window,))
        return write_store(
            path,
            name=name,
            options=options,
            seed=seed,
            kind=source.kind,
            features=[Feature("x", "uint8", (self.window,)), y],
            splits={split: map(self._windows, texts) for split, texts in clients.items()},
            num_classes=len(ALPHABETS[self.alphabet]),
            source=source.description,
        )

    def _draw(self, roles: dict[str, list[str]], rng: np.random.Generator) -> dict[str, dict[str, np.ndarray]]:
        """The encoded text of each split of each chosen role."""
        pieces = {role: self._cut(self._encode(as_one_text(lines))) for role, lines in sorted(roles.items())}
        long_enough = [role for role, cut in pieces.items() if min(map(len, cut.values())) > self.window]
        wanted = len(long_enough) if self.clients == "all" else self.clients
        if wanted > len(long_enough) or not wanted:
            raise AtlasError(
                f"dataset 'shakespeare': 'clients' is {self.clients}, but {len(long_enough)} roles are long enough for "
                f"a window of {self.window} characters in each split: take fewer clients or a shorter window."
            )
        chosen = rng.choice(len(long_enough), wanted, replace=False)
        return {long_enough[number]: pieces[long_enough[number]] for number in sorted(chosen)}

    def _encode(self, text: str) -> np.ndarray:
        """Positions in the alphabet, uint8 [len(text)]."""
        table = np.full(128, 255, np.uint8)
        table[[ord(letter) for letter in ALPHABETS[self.alphabet]]] = np.arange(len(ALPHABETS[self.alphabet]))
        encoded = table[np.frombuffer(text.encode("ascii", "replace"), np.uint8)]
        if (encoded == 255).any():
            letter = text[int(np.argmax(encoded == 255))]
            raise AtlasError(
                f"the plays hold {letter!r}, which the alphabet '{self.alphabet}' does not: use 'printable'."
            )
        return encoded

    def _cut(self, encoded: np.ndarray) -> dict[str, np.ndarray]:
        ends = np.rint(np.cumsum(list(FRACTIONS[self.splits].values())) * len(encoded)).astype(int)
        return dict(zip(FRACTIONS[self.splits], np.split(encoded, ends[:-1]), strict=True))

    def _windows(self, client: tuple[str, np.ndarray]) -> tuple[str, dict[str, np.ndarray]]:
        """The examples of one encoded text."""
        role, text = client
        after = text[self.window :: self.stride]
        x = sliding_window_view(text[:-1], self.window)[:: self.stride]
        moved = sliding_window_view(text[1:], self.window)[:: self.stride]
        return role, {"x": x, "y": after.astype(np.int32) if self.target == "next" else moved}


def _text(source: Raw) -> str:
    """The text, as the layout holds it; the first edition is ASCII, a later one has a byte-order mark."""
    file = source.path(next(iter(source.receipt["files"])))
    content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    return content.decode("utf-8-sig", "replace")
