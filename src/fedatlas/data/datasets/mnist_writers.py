"""MNIST by writer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from fedatlas.data.datasets.mnist import read_half
from fedatlas.data.formats.idx import read_idx
from fedatlas.data.labelled import Labelled
from fedatlas.data.laws import Examples
from fedatlas.data.raw import Raw
from fedatlas.errors import AtlasError

WRITER = 2  # the column of QMNIST's labels that has the NIST writer; column 0 is the digit


class MnistWriters(Labelled):
    """MNIST with the writer of every digit: 539 writers for training, 297 others for testing; x, y as in mnist.

    The same source (NIST Special Database 19) and the same natural partition as FEMNIST's digits, from fewer writers
    and in MNIST's size normalisation: it stands in for FEMNIST's digits where their archive cannot be had.
    """

    sources: ClassVar = ("mnist", "qmnist")
    num_classes: ClassVar = 10
    examples: ClassVar = (60_000, 10_000)
    owners: ClassVar = 539 + 297

    def load(self, raw: Path) -> tuple[Examples, Examples]:
        images, labels = self.open(raw), Raw.open(raw, self.raw[1])
        return (
            _with_writers(read_half(images, "train"), labels.path("qmnist-train-labels-idx2-int.gz")),
            _with_writers(read_half(images, "t10k"), labels.path("qmnist-test-labels-idx2-int.gz")),
        )

    def description(self, raw: Path) -> dict[str, Any]:
        labels = Raw.open(raw, self.raw[1]).receipt
        note = "By writer, from QMNIST's labels; stands in for FEMNIST's digits, as real data of the same origin."
        return super().description(raw) | {
            "note": note,
            "labels": labels["citation"],
            "labels_licence": labels["licence"],
        }


def _with_writers(examples: Examples, labels: Path) -> Examples:
    """QMNIST's test set goes on after MNIST's."""
    columns = read_idx(labels)[: len(examples)]
    if not np.array_equal(columns[:, 0], examples.y):
        raise AtlasError(f"the digits in {labels} are not MNIST's: fetch both sources again.")
    return replace(examples, ids=columns[:, WRITER])
