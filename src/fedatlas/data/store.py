"""The client store: per-client arrays in files that TensorFlow can read inside a graph.

    <store>/manifest.json
    <store>/<split>/000000.bin, 000001.bin, ...    one file a client, in the order of the manifest
    <store>/truth.npz                              the ground truth of generated data, where there is one
    <store>/attachments/<name>                     files that explain the data, such as the mask of a brain's voxels

A client's file holds its arrays one after another in the order of the manifest's features, each row-major and
little-endian with the examples as the leading axis, and no header: its size is the number of examples times the
bytes of an example. The manifest (format "fedatlas-store/1") has the features' dtypes and shapes, every client's id,
number of examples and sha256, the options and the seed that made the store, what kind of data it is (`real`,
`synthetic as in the paper` or `stand-in`), and where it comes from. Its own sha256 is over all of that.
`.verified` remembers that every byte was read and found right.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import shutil
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fedatlas import __version__
from fedatlas.data.kinds import DataKind
from fedatlas.errors import AtlasError
from fedatlas.files import atomic
from fedatlas.intact import digest_of, first_changed, forget, sha256_of

FORMAT = "fedatlas-store/1"
ATTACHMENTS = "attachments"
_MEND = "delete the folder and run the same command again; it is made anew"


@dataclass(frozen=True)
class Feature:
    """An array that every example has: name, numpy dtype name and shape of one example."""

    name: str
    dtype: str
    shape: tuple[int, ...]

    @property
    def example_bytes(self) -> int:
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize

    @property
    def little_endian(self) -> np.dtype:
        return np.dtype(self.dtype).newbyteorder("<")


def write_store(
    path: Path,
    *,
    name: str,
    options: Mapping[str, Any],
    seed: int,
    kind: DataKind,
    features: Iterable[Feature],
    splits: Mapping[str, Iterable[tuple[str, Mapping[str, np.ndarray]]]],
    truth: Mapping[str, np.ndarray] | None = None,
    num_classes: int | None = None,
    source: Mapping[str, Any] | None = None,
    attachments: Mapping[str, Path] | None = None,
) -> ClientStore:
    """Writes a store atomically, client by client: the splits may be iterators and are never held as a whole.

    Args:
        splits: per split, the clients as (id, arrays by feature name [num_examples, *shape]). The same id in two
            splits is the same client.
        attachments: files to copy into the store, by the names that they get there.

    Raises:
        AtlasError: if an array does not have the dtype or the shape of its feature, or the disk cannot be written.
    """
    features = list(features)
    with atomic(path) as partial:
        partial.mkdir(parents=True)
        manifest = {
            "format": FORMAT,
            "name": name,
            "options": dict(options),
            "seed": seed,
            "kind": kind,
            "features": [{"name": f.name, "dtype": f.dtype, "shape": list(f.shape)} for f in features],
            "num_classes": num_classes,
            "splits": {split: _write_split(partial / split, features, clients) for split, clients in splits.items()},
            "truth": _write_truth(partial, truth),
            "source": dict(source or {}),
        }
        if attachments:
            manifest["attachments"] = _copy_attachments(partial / ATTACHMENTS, attachments)
        manifest["sha256"] = digest_of(manifest)
        manifest["created_with"] = {"fedatlas": __version__, "numpy": np.__version__}
        (partial / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    return ClientStore.open(path)


def _write_split(
    folder: Path, features: list[Feature], clients: Iterable[tuple[str, Mapping[str, np.ndarray]]]
) -> dict[str, Any]:
    folder.mkdir()
    entries = []
    for index, (client, arrays) in enumerate(clients):
        content = b"".join(_bytes(client, feature, arrays[feature.name]) for feature in features)
        examples = {feature.name: len(arrays[feature.name]) for feature in features}
        if len({*examples.values()}) > 1:
            raise AtlasError(f"client {client}: the arrays differ in their number of examples: {examples}.")
        (folder / _file_name(index)).write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        entries.append({"id": str(client), "examples": examples[features[0].name], "sha256": digest})
    return {"clients": entries}


def _bytes(client: str, feature: Feature, array: np.ndarray) -> bytes:
    if array.dtype != np.dtype(feature.dtype) or array.shape[1:] != feature.shape:
        raise AtlasError(
            f"client {client}: '{feature.name}' is {array.dtype}{list(array.shape[1:])}, "
            f"but the store holds {feature.dtype}{list(feature.shape)}."
        )
    return np.ascontiguousarray(array, feature.little_endian).tobytes()


def _write_truth(folder: Path, truth: Mapping[str, np.ndarray] | None) -> dict[str, str] | None:
    if truth is None:
        return None
    np.savez(folder / "truth.npz", **truth)
    return {"file": "truth.npz", "sha256": _truth_hash(truth)}


def _truth_hash(truth: Mapping[str, np.ndarray]) -> str:
    arrays = hashlib.sha256()
    for key in sorted(truth):
        arrays.update(key.encode() + np.ascontiguousarray(truth[key]).tobytes())
    return arrays.hexdigest()


def _copy_attachments(folder: Path, attachments: Mapping[str, Path]) -> dict[str, str]:
    folder.mkdir()
    for name, file in attachments.items():
        shutil.copyfile(file, folder / name)
    return {name: sha256_of(folder / name) for name in attachments}


def _file_name(number: int) -> str:
    return f"{number:06d}.bin"


def _read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a store, which is as it was written."""
    try:
        manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise AtlasError(f"{path} is not a client store (it has no manifest.json): {_MEND}.") from error
    except ValueError as error:
        raise AtlasError(f"{path / 'manifest.json'} is damaged: {_MEND}.") from error
    found = manifest.get("format") if isinstance(manifest, dict) else None
    if found != FORMAT:
        raise AtlasError(f"{path} has the format {found!r}, but this version reads {FORMAT!r}: {_MEND}.")
    content = {key: value for key, value in manifest.items() if key not in ("sha256", "created_with")}
    if digest_of(content) != manifest.get("sha256"):
        raise AtlasError(f"{path / 'manifest.json'} is damaged (its content does not have its own sha256): {_MEND}.")
    return manifest


class ClientStore:
    """A store opened for reading; `ClientStore.open` checks it against its manifest first."""

    def __init__(self, path: Path, manifest: Mapping[str, Any]):
        self.path = path
        self.manifest = manifest
        self.features = {f["name"]: Feature(f["name"], f["dtype"], tuple(f["shape"])) for f in manifest["features"]}

    @classmethod
    def open(cls, path: Path) -> ClientStore:
        """Opens a store whose every byte is as it was written; an unchanged one is not read again for that.

        Raises:
            AtlasError: if the store is missing, of another version, cut off or changed; names the file and the mend.
        """
        path = Path(path)
        store = cls(path, _read_manifest(path))
        changed = first_changed(path, store._known)
        if changed is not None:
            raise AtlasError(f"{path / changed} {store._wrong(changed)}: {_MEND}.")
        return store

    @cached_property
    def _known(self) -> dict[str, str]:
        """The sha256 of every client's file and every attachment, by name."""
        known = {f"{ATTACHMENTS}/{name}": digest for name, digest in self.manifest.get("attachments", {}).items()}
        for split in self.splits:
            clients = enumerate(self._clients(split))
            known |= {f"{split}/{_file_name(number)}": client["sha256"] for number, client in clients}
        return known

    def _wrong(self, name: str) -> str:
        """What is wrong with a file that is not as it was written."""
        path, (split, file) = self.path / name, name.split("/", 1)
        if not path.is_file():
            return "is missing"
        if split != ATTACHMENTS:
            examples = self._clients(split)[int(Path(file).stem)]["examples"]
            expected = examples * sum(feature.example_bytes for feature in self.features.values())
            if path.stat().st_size != expected:
                return f"has {path.stat().st_size} bytes instead of {expected}"
        return "is damaged (its sha256 is not that of manifest.json)"

    @property
    def splits(self) -> list[str]:
        return list(self.manifest["splits"])

    @property
    def kind(self) -> DataKind:
        return DataKind(self.manifest["kind"])

    @property
    def num_classes(self) -> int | None:
        return self.manifest["num_classes"]

    @property
    def sha256(self) -> str:
        """A hash over the content, the options and the seed."""
        return self.manifest["sha256"]

    def ids(self, split: str) -> list[str]:
        """The ids of the clients of a split, in the order of their numbers."""
        return [client["id"] for client in self._clients(split)]

    def sizes(self, split: str) -> np.ndarray:
        """The number of examples of each client, [num_clients]."""
        return np.array([client["examples"] for client in self._clients(split)], np.int64)

    def files(self, split: str) -> list[Path]:
        """The clients' files."""
        return [self.path / split / _file_name(number) for number in range(len(self._clients(split)))]

    def _clients(self, split: str) -> list[dict[str, Any]]:
        if split not in self.manifest["splits"]:
            raise AtlasError(f"{self.path} has no split '{split}'; it has: {', '.join(self.splits)}.")
        return self.manifest["splits"][split]["clients"]

    def read(self, split: str, client: int, start: int = 0, stop: int | None = None) -> dict[str, np.ndarray]:
        """The arrays of one client's examples start to stop by feature name, each [num_examples, *shape]."""
        client = range(len(self._clients(split)))[client]
        examples, arrays, place = self._clients(split)[client]["examples"], {}, 0
        start, stop, _ = slice(start, stop).indices(examples)
        with (self.path / split / _file_name(client)).open("rb") as file:
            for feature in self.features.values():
                file.seek(place + start * feature.example_bytes)
                flat = np.frombuffer(file.read((stop - start) * feature.example_bytes), feature.little_endian)
                arrays[feature.name] = flat.reshape(stop - start, *feature.shape)
                place += examples * feature.example_bytes
        return arrays

    @cached_property
    def truth(self) -> dict[str, np.ndarray]:
        """The ground truth by name; empty where there is none.

        Raises:
            AtlasError: if its file is missing, or holds other arrays than were written.
        """
        if self.manifest["truth"] is None:
            return {}
        path = self.path / self.manifest["truth"]["file"]
        with contextlib.suppress(OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, NotImplementedError):
            with np.load(path, allow_pickle=False) as arrays:
                truth = dict(arrays)
            if _truth_hash(truth) == self.manifest["truth"]["sha256"]:
                return truth
        raise AtlasError(f"{path} is damaged or missing: {_MEND}.")

    @property
    def attachments(self) -> dict[str, Path]:
        """The files that explain the data, by name."""
        return {name: self.path / ATTACHMENTS / name for name in self.manifest.get("attachments", {})}

    def verify(self) -> None:
        """Reads everything again, whether it has changed or not, and compares it with its sha256.

        Raises:
            AtlasError: at the first file that differs or is missing.
        """
        forget(self.path)
        ClientStore.open(self.path).truth  # noqa: B018
