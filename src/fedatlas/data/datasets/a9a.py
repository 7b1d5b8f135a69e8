"""a9a: UCI Adult as binary features."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from fedatlas.data.formats.libsvm import read_labelled
from fedatlas.data.labelled import Labelled
from fedatlas.data.laws import Examples


class A9a(Labelled):
    """x: [123], bytes 0 or 1; y: 1 for an income above 50 000 dollars, else 0.

    32 561 examples for training, 16 281 for testing.
    """

    sources: ClassVar = ("a9a",)
    num_classes: ClassVar = 2
    files: ClassVar = {"a9a": 32_561, "a9a.t": 16_281}
    examples: ClassVar = tuple(files.values())

    def load(self, raw: Path) -> tuple[Examples, Examples]:
        folder = self.open(raw)
        suffix = ".gz" if folder.layout == "compressed" else ""
        train, test = (
            Examples(*read_labelled(folder.path(f"{name}{suffix}"), 123, number)) for name, number in self.files.items()
        )
        return train, test
