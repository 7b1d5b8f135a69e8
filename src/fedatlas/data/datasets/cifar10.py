"""CIFAR-10."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np

from fedatlas.data.formats.cifar import read_batch, read_tiles
from fedatlas.data.labelled import Labelled
from fedatlas.data.laws import Examples


class Cifar10(Labelled):
    """x: images [32, 32, 3], bytes, RGB; y: ten classes. 50 000 for training, 10 000 for testing."""

    sources: ClassVar = ("cifar10",)
    num_classes: ClassVar = 10
    examples: ClassVar = (50_000, 10_000)

    def load(self, raw: Path) -> tuple[Examples, Examples]:
        folder = self.open(raw)
        tiles = folder.layout == "tiles"
        read, where = (read_tiles, "{}.npz") if tiles else (read_batch, "cifar-10-batches-py/{}")
        batches = [read(folder.path(where.format(f"data_batch_{i}"))) for i in range(1, 6)]
        images, labels = (np.concatenate(arrays) for arrays in zip(*batches, strict=True))
        return Examples(images, labels), Examples(*read(folder.path(where.format("test_batch"))))
