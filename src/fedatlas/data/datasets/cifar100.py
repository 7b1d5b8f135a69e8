"""CIFAR-100."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np

from fedatlas.data.formats.cifar import COARSE, read_batch, read_tiles
from fedatlas.data.labelled import Labelled
from fedatlas.data.laws import Examples


class Cifar100(Labelled):
    """x: images [32, 32, 3], bytes, RGB; y: the hundred fine classes, five in each of twenty coarse ones."""

    sources: ClassVar = ("cifar100",)
    num_classes: ClassVar = 100
    examples: ClassVar = (50_000, 10_000)
    coarse: ClassVar = True

    def load(self, raw: Path) -> tuple[Examples, Examples]:
        folder = self.open(raw)
        if folder.layout == "tiles":
            halves = (read_tiles(folder.path(f"{half}_subset.npz")) for half in ("train", "test"))
        else:
            halves = (read_batch(folder.path(f"cifar-100-python/{half}")) for half in ("train", "test"))
        train, test = (_with_coarse(*half) for half in halves)
        return train, test


def _with_coarse(images: np.ndarray, labels: np.ndarray) -> Examples:
    return Examples(images, labels, coarse=COARSE[labels])
