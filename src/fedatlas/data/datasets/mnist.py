"""MNIST."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from fedatlas.data.formats.idx import read_idx
from fedatlas.data.labelled import Labelled
from fedatlas.data.laws import Examples
from fedatlas.data.raw import Raw


class Mnist(Labelled):
    """x: images [28, 28], bytes, background 0; y: digits. 60 000 for training, 10 000 for testing."""

    sources: ClassVar = ("mnist",)
    num_classes: ClassVar = 10
    examples: ClassVar = (60_000, 10_000)

    def load(self, raw: Path) -> tuple[Examples, Examples]:
        folder = self.open(raw)
        return read_half(folder, "train"), read_half(folder, "t10k")


def read_half(folder: Raw, half: str) -> Examples:
    """The training (`train`) or the test (`t10k`) examples."""
    images = read_idx(folder.path(f"{half}-images-idx3-ubyte.gz"))
    return Examples(images, read_idx(folder.path(f"{half}-labels-idx1-ubyte.gz")))
