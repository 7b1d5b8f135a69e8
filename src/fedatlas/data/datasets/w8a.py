"""w8a: web pages as binary features."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from fedatlas.data.formats.libsvm import read_labelled
from fedatlas.data.labelled import Labelled
from fedatlas.data.laws import Examples


class W8a(Labelled):
    """x: [300], bytes 0 or 1; y: 1 for the sought kind of page (3 %), else 0. 49 749 examples; no test examples."""

    sources: ClassVar = ("w8a",)
    num_classes: ClassVar = 2
    examples: ClassVar = (49_749,)

    def load(self, raw: Path) -> tuple[Examples, None]:
        folder = self.open(raw)
        suffix = ".gz" if folder.layout == "compressed" else ""
        return Examples(*read_labelled(folder.path(f"w8a{suffix}"), 300, *self.examples)), None
