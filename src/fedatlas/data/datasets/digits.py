"""The digits that come with scikit-learn."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from fedatlas.data.kinds import DataKind
from fedatlas.data.labelled import Labelled
from fedatlas.data.laws import Examples


class Digits(Labelled):
    """x: images [8, 8], bytes; y: digits. 1 797 real examples that need no fetching; no standard test examples.

    The grey levels 0 .. 16 are stretched to 0 .. 255, the range of all images here.
    """

    sources: ClassVar = ()
    num_classes: ClassVar = 10
    examples: ClassVar = (1_797,)

    def load(self, raw: Path) -> tuple[Examples, None]:
        from sklearn.datasets import load_digits

        bunch = load_digits()
        return Examples(np.rint(bunch.images * (255 / 16)).astype(np.uint8), bunch.target), None

    def kind(self, raw: Path) -> DataKind:
        return DataKind.REAL

    def description(self, raw: Path) -> dict[str, Any]:
        return {
            "source": f"scikit-learn {importlib.metadata.version('scikit-learn')}",
            "title": "Optical recognition of handwritten digits, test set",
            "citation": "E. Alpaydin, C. Kaynak, Optical recognition of handwritten digits, UCI repository, 1998",
            "licence": "CC BY 4.0",
            "homepage": "https://archive.ics.uci.edu/dataset/80",
            "layout": "bundled",
            "note": "Grey levels 0 .. 16 stretched to 0 .. 255.",
        }
