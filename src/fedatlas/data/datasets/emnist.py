"""EMNIST by class."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from fedatlas.data.formats.idx import read_idx
from fedatlas.data.labelled import Labelled
from fedatlas.data.laws import Examples
from fedatlas.data.raw import Raw


class Emnist(Labelled):
    """x: images [28, 28], bytes, background 0; y: 10 digits, 26 capitals, 26 small letters; 814 255 in all.

    FedEM (Marfoq et al., NeurIPS 2021) takes a tenth, over 100 clients. The files' images are transposed back.
    """

    sources: ClassVar = ("emnist",)
    num_classes: ClassVar = 62
    examples: ClassVar = (697_932, 116_323)

    def load(self, raw: Path) -> tuple[Examples, Examples]:
        folder = self.open(raw)
        return _half(folder, "train"), _half(folder, "test")


def _half(folder: Raw, half: str) -> Examples:
    images = read_idx(folder.path(f"gzip/emnist-byclass-{half}-images-idx3-ubyte.gz"))
    labels = read_idx(folder.path(f"gzip/emnist-byclass-{half}-labels-idx1-ubyte.gz"))
    return Examples(images.transpose(0, 2, 1), labels)
