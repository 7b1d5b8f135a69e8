"""Fetched folders in the originals' formats, small, whose images say which example they are."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from fedatlas.data.formats import cifar, idx, tff_sqlite
from fedatlas.data.raw import Raw, write_receipt

FACTS = {"kind": "real", "title": "t", "citation": "c", "licence": "l", "homepage": "h", "note": None}


def receipt(folder: Path, source: str, layout: str, files: Iterable[str]) -> Raw:
    facts = {"source": source, "layout": layout, **FACTS}
    return write_receipt(folder, facts, [(name, "made") for name in files])


def numbered(first: int, count: int, shape: tuple[int, ...]) -> np.ndarray:
    """Images whose first two bytes are the example's number."""
    images = np.zeros((count, *shape), np.uint8)
    flat, numbers = images.reshape(count, -1), np.arange(first, first + count)
    flat[:, 0], flat[:, 1] = numbers // 256, numbers % 256
    return images


def number_of(images: np.ndarray) -> np.ndarray:
    flat = images.reshape(len(images), -1).astype(int)
    return flat[:, 0] * 256 + flat[:, 1]


def mnist(raw: Path, train: int = 600, test: int = 100) -> None:
    """Example k shows k % 10 and was written by writer k // 10."""
    labels = np.arange(train + test) % 10
    halves = {"train": slice(0, train), "t10k": slice(train, train + test)}
    for half, part in halves.items():
        idx.write_idx(raw / f"mnist/{half}-labels-idx1-ubyte.gz", labels[part].astype(np.uint8))
    idx.write_idx(raw / "mnist/train-images-idx3-ubyte.gz", numbered(0, train, (28, 28)))
    idx.write_idx(raw / "mnist/t10k-images-idx3-ubyte.gz", numbered(train, test, (28, 28)))
    receipt(raw / "mnist", "mnist", "original", [f"{half}-images-idx3-ubyte.gz" for half in halves])
    for half, part in {"train": halves["train"], "test": halves["t10k"]}.items():
        columns = np.zeros((len(labels[part]) + 5, 8), np.int32)  # QMNIST's test labels go on
        columns[: len(labels[part]), 0] = labels[part]
        columns[: len(labels[part]), 2] = np.arange(train + test)[part] // 10
        idx.write_idx(raw / f"qmnist/qmnist-{half}-labels-idx2-int.gz", columns)
    receipt(raw / "qmnist", "qmnist", "original", [])


def cifar10(raw: Path) -> None:
    names = [f"cifar-10-batches-py/data_batch_{i}" for i in range(1, 6)] + ["cifar-10-batches-py/test_batch"]
    for place, name in enumerate(names):
        labels = np.arange(100) % 10
        cifar.write_batch(raw / "cifar10" / name, numbered(100 * place, 100, (32, 32, 3)), labels, fine=False)
    receipt(raw / "cifar10", "cifar10", "extracted", names)


def cifar100(raw: Path) -> None:
    names = ["cifar-100-python/train", "cifar-100-python/test"]
    for place, name in enumerate(names):
        images = numbered(1000 * place, 1000, (32, 32, 3))
        cifar.write_batch(raw / "cifar100" / name, images, np.arange(1000) % 100, fine=True)
    receipt(raw / "cifar100", "cifar100", "extracted", names)


def femnist(raw: Path, writers: int = 10) -> None:
    """Writer k has k + 3 training examples of class k and two test examples; white is 1, as in the archive."""

    def examples(writer: int, count: int, first: int) -> list[dict[str, np.ndarray]]:
        pixels = 1 - numbered(first, count, (28, 28)).reshape(count, -1).astype(np.float32) / 255
        return [{"pixels": row, "label": np.array([writer])} for row in pixels]

    ids = [f"f{k:04d}_00" for k in range(writers)]
    train = {name: examples(k, k + 3, 100 * k) for k, name in enumerate(ids)}
    test = {name: examples(k, 2, 100 * k + 50) for k, name in enumerate(ids)}
    splits = {
        f"{which}_{half}": clients
        for which in ("digits_only", "all")
        for half, clients in (("train", train), ("test", test))
    }
    (raw / "femnist").mkdir(parents=True)
    tff_sqlite.write_archive(raw / "femnist/emnist_all.sqlite", splits)
    receipt(raw / "femnist", "femnist", "archive", ["emnist_all.sqlite"])
