"""TensorFlow Federated's archives of clients: SQLite tables of serialised `tf.train.Example` messages.

    examples(split_name, client_id, serialized_example_proto), client_metadata(client_id, split_name, num_examples)

A message is a nest of (field number, content) pairs: Example 1 -> Features 1 -> entries 1 -> name, 2 -> Feature, whose
content is a packed list of floats (2) or of integers (3). So little of it is needed that no library is.
"""

from __future__ import annotations

import contextlib
import errno
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np

from fedatlas.errors import AtlasError
from fedatlas.files import writing


def client_ids(path: Path, split: str) -> list[str]:
    """The clients of a split, sorted.

    Raises:
        AtlasError: if the file is not such an archive, or has no such split.
    """
    with _opened(path) as archive:
        query = "SELECT DISTINCT client_id FROM client_metadata WHERE split_name = ? ORDER BY client_id"
        found = [row[0] for row in archive.execute(query, (split,))]
    if not found:
        raise AtlasError(f"{path} has no clients in the split '{split}'.")
    return found


def read_examples(path: Path, split: str, clients: Iterable[str]) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    """The examples of some clients, each with its client, a feature's values by its name; a client's own in order.

    One query for all: without an index on the clients a query for each would read the whole archive every time.
    """
    query = (
        "SELECT client_id, serialized_example_proto FROM examples"
        " WHERE split_name = ? AND client_id IN (SELECT client_id FROM wanted)"
    )
    with _opened(path) as archive:
        archive.execute("CREATE TEMPORARY TABLE wanted (client_id TEXT PRIMARY KEY)")
        archive.executemany("INSERT INTO wanted VALUES (?)", ((client,) for client in clients))
        for client, message in archive.execute(query, (split,)):
            yield client, parse_example(message)


def write_archive(path: Path, splits: Mapping[str, Mapping[str, Iterable[Mapping[str, np.ndarray]]]]) -> None:
    """Writes an archive of splits of clients of examples.

    Raises:
        AtlasError: on a full disk.
    """
    with _room_for(path), contextlib.closing(sqlite3.connect(path)) as archive, archive:
        archive.execute("CREATE TABLE examples (split_name TEXT, client_id TEXT, serialized_example_proto BLOB)")
        archive.execute("CREATE TABLE client_metadata (client_id TEXT, split_name TEXT, num_examples INTEGER)")
        archive.execute("CREATE INDEX by_client ON examples (split_name, client_id)")
        for split, clients in splits.items():
            for client, examples in clients.items():
                rows = [(split, client, serialise_example(example)) for example in examples]
                archive.executemany("INSERT INTO examples VALUES (?, ?, ?)", rows)
                archive.execute("INSERT INTO client_metadata VALUES (?, ?, ?)", (client, split, len(rows)))


@contextlib.contextmanager
def _room_for(path: Path) -> Iterator[None]:
    """Tells a full disk as any other writer does."""
    try:
        with writing(path):
            yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_FULL:
            raise
        with writing(path):
            raise OSError(errno.ENOSPC, str(error)) from error


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        address = f"{path.absolute().as_uri()}?mode=ro"
        with _room_for(Path(tempfile.gettempdir())), contextlib.closing(sqlite3.connect(address, uri=True)) as archive:
            yield archive
    except sqlite3.DatabaseError as error:
        raise AtlasError(f"{path} is not an archive of clients ({error}): fetch the source again.") from error


def parse_example(message: bytes) -> dict[str, np.ndarray]:
    """The features of a serialised `tf.train.Example`: floats as float32, integers as int64."""
    features = {}
    for _, content in _fields(next(_fields(message))[1]):
        (_, name), (_, feature) = _fields(content)
        kind, values = next(_fields(feature))
        packed = b"".join(value for _, value in _fields(values))
        features[name.decode()] = np.frombuffer(packed, "<f4") if kind == 2 else _integers(packed)
    return features


def serialise_example(features: Mapping[str, np.ndarray]) -> bytes:
    """The inverse of `parse_example`."""
    entries = b""
    for name, values in sorted(features.items()):
        if values.dtype.kind == "f":
            feature = _field(2, _field(1, values.astype("<f4").tobytes()))
        else:
            feature = _field(3, _field(1, b"".join(_varint(int(value)) for value in values)))
        entries += _field(1, _field(1, name.encode()) + _field(2, feature))
    return _field(1, entries)


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """The (number, content) pairs of a message whose fields all have a length, or are single floats or integers."""
    at = 0
    while at < len(message):
        tag, at = _read_varint(message, at)
        if tag & 7 == 2:
            length, at = _read_varint(message, at)
        elif tag & 7 == 5:
            length = 4
        else:
            length = _read_varint(message, at)[1] - at
        yield tag >> 3, message[at : at + length]
        at += length


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _integers(packed: bytes) -> np.ndarray:
    values, at = [], 0
    while at < len(packed):
        value, at = _read_varint(packed, at)
        values.append(value - (1 << 64) if value >> 63 else value)
    return np.array(values, np.int64)


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    """The number at a place, seven bits a byte, and the place after it."""
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
