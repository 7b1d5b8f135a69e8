"""CIFAR's pickled batches, and the lossless tiles in which a mirror may hold the same images."""

from __future__ import annotations

import io
import pickle
from pathlib import Path

import numpy as np

from fedatlas.errors import AtlasError

SIDE, TILE_COLUMNS = 32, 40
# The coarse label of every fine label of CIFAR-100, as the data set defines them.
COARSE = np.array(
    [
        *(
            4,
            1,
            14,
            8,
            0,
            6,
            7,
            7,
            18,
            3,
            3,
            14,
            9,
            18,
            7,
            11,
            3,
            9,
            7,
            11,
            6,
            11,
            5,
            10,
            7,
            6,
            13,
            15,
            3,
            15,
            0,
            11,
            1,
        ),
        *(10, 12, 14, 16, 9, 11, 5, 5, 19, 8, 8, 15, 13, 14, 17, 18, 10, 16, 4, 17, 4, 2, 0, 17, 4, 18, 17, 10, 3, 2),
        *(12, 12, 16, 12, 1, 9, 19, 2, 10, 0, 1, 16, 12, 9, 13, 15, 13, 16, 19, 2, 4, 6, 19, 5, 5, 8, 19, 18, 1, 2),
        *(15, 6, 0, 17, 8, 14, 13),
    ]
)


class _ArraysOnly(pickle.Unpickler):
    """Unpickles numpy arrays and plain values, and runs nothing else that a file might ask for."""

    def find_class(self, module: str, name: str):
        if module.split(".")[0] == "numpy" and name in ("_reconstruct", "ndarray", "dtype"):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is not allowed")


def read_batch(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Images [num_examples, 32, 32, 3], bytes, and labels [num_examples] of a batch; the fine labels of CIFAR-100.

    Raises:
        AtlasError: if the file is cut off or is not such a batch.
    """
    try:
        with path.open("rb") as file:
            batch = _ArraysOnly(file, encoding="bytes").load()
        labels = np.array(batch[b"fine_labels"] if b"fine_labels" in batch else batch[b"labels"])
        images = np.asarray(batch[b"data"], np.uint8).reshape(len(labels), 3, SIDE, SIDE)
    except (pickle.UnpicklingError, EOFError, KeyError, ValueError) as error:
        raise AtlasError(f"{path} is not a whole CIFAR batch: delete its folder and fetch the source again.") from error
    return np.ascontiguousarray(images.transpose(0, 2, 3, 1)), labels


def write_batch(path: Path, images: np.ndarray, labels: np.ndarray, fine: bool) -> None:
    """Writes a batch as CIFAR's python version has it."""
    data = images.transpose(0, 3, 1, 2).reshape(len(labels), -1)
    content: dict[bytes, object] = {b"data": data, b"fine_labels" if fine else b"labels": labels.tolist()}
    if fine:
        content[b"coarse_labels"] = COARSE[labels].tolist()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps(content, protocol=4))


def read_tiles(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """The same from an npz of lossless WebP tiles, 40 images wide, with the keys webp, webp_len, count and labels.

    Raises:
        AtlasError: if the file is cut off or is not such an npz.
    """
    from PIL import Image

    try:
        with np.load(path) as arrays:
            packed, lengths, counts = arrays["webp"].tobytes(), arrays["webp_len"], arrays["count"]
            labels = arrays["fine_labels" if "fine_labels" in arrays else "labels"].astype(np.int64)
    except (OSError, KeyError, ValueError, EOFError) as error:
        raise AtlasError(
            f"{path} is not a whole npz of tiles: delete its folder and fetch the source again."
        ) from error
    images, start = np.empty((len(labels), SIDE, SIDE, 3), np.uint8), 0
    ends = np.cumsum(lengths)
    for begin, end, count in zip(ends - lengths, ends, counts, strict=True):
        tile = np.asarray(Image.open(io.BytesIO(packed[begin:end])).convert("RGB"))
        rows = tile.reshape(-1, SIDE, TILE_COLUMNS, SIDE, 3).transpose(0, 2, 1, 3, 4)
        images[start : start + count] = rows.reshape(-1, SIDE, SIDE, 3)[:count]
        start += count
    return images, labels
