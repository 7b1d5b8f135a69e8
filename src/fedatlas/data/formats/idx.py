"""The idx files of MNIST, EMNIST and QMNIST."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import numpy as np

from fedatlas.errors import AtlasError

DTYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def read_idx(path: Path) -> np.ndarray:
    """The array of a gzipped idx file, in the machine's byte order.

    Raises:
        AtlasError: if the file is not gzip, is cut off or is not idx.
    """
    try:
        content = gzip.decompress(path.read_bytes())
        shape = np.frombuffer(content, ">u4", content[3], 4)
        array = np.frombuffer(content, DTYPES[content[2]], offset=4 + 4 * len(shape)).reshape(shape)
    except (OSError, EOFError, zlib.error, ValueError, KeyError, IndexError) as error:
        raise AtlasError(f"{path} is not a whole idx file: delete its folder and fetch the source again.") from error
    return array.astype(array.dtype.newbyteorder("="))


def write_idx(path: Path, array: np.ndarray) -> None:
    """Writes an array of bytes or 32-bit integers as a gzipped idx file."""
    code = {"u": 0x08, "i": 0x0C}[array.dtype.kind]
    head = bytes([0, 0, code, array.ndim]) + np.array(array.shape, ">u4").tobytes()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(head + array.astype(DTYPES[code]).tobytes(), 6, mtime=0))
