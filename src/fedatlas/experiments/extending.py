"""What an experiment file says about one scale, together with the file that it extends."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fedatlas.config import Place, read_yaml
from fedatlas.errors import AtlasError, Keys
from fedatlas.experiments.scales import SCALES
from fedatlas.names import instead, shown

Read = Callable[[Path], Mapping[str, Any]]
SMALLER = tuple(scale.value for scale in SCALES if scale != "paper")  # whose differences stand under their names
WHOLES = ("dataset", "sweep", "select")


def merge(base: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with `overrides`: mappings key by key, but `dataset`, `sweep` and `select` as wholes.

    So is what gets another `name`, for whose options the old ones are not meant.
    """
    merged = dict(base)
    for key, value in overrides.items():
        parts = isinstance(value, Mapping) and key not in WHOLES
        old = merged[key] if isinstance(merged.get(key), Mapping) else {}
        kept = not parts or value.get("name", old.get("name")) == old.get("name")
        merged[key] = merge(old if kept else {}, value) if parts else value
    return merged


def read_once(path: Path) -> Mapping[str, Any]:
    """The mapping of a file, parsed once for each content: many files extend one, and there are several scales.

    Raises:
        AtlasError: as `read_yaml`.
    """
    return _parsed(path, path.read_bytes()) if path.is_file() else read_yaml(path)


@functools.lru_cache(512)
def _parsed(path: Path, content: bytes) -> Mapping[str, Any]:
    return read_yaml(path)


def content_at(path: Path, scale: str, read: Read = read_once) -> dict[str, Any]:
    """What a file says about one scale, with what it extends, not validated; `read` gives the mapping of a file.

    Raises:
        AtlasError: if what it extends is not there, extends it in turn, or lacks the algorithms that it keeps.
    """
    content = _extended(path, read, ())
    smaller: dict[str, Any] = {name: content.pop(name, None) for name in SMALLER}
    for name, overrides in smaller.items():
        if not isinstance(overrides, Mapping | None):
            where = place_at(path, "paper").naming((name,))
            raise AtlasError(f"{where}: '{name}' is {shown(overrides)}, but must be a mapping of keys to values.")
    return merge(content, smaller[scale] or {}) if scale != "paper" else content


def place_at(path: Path, scale: str) -> Place:
    """Where a key of that content may stand: under the scale's own name first, in the file before what it extends."""

    def roots() -> tuple[tuple[Path, Keys], ...]:
        files = _files(path)
        smaller = tuple((file, (scale,)) for file in files) if scale != "paper" else ()
        return smaller + tuple((file, ()) for file in files)

    return Place(path, roots=roots)


def _files(path: Path, before: tuple[Path, ...] = ()) -> tuple[Path, ...]:
    """The file and those that it extends, as far as they can be read."""
    try:
        parent = read_once(path).get("extends")
    except AtlasError:
        return ()
    if not isinstance(parent, str) or path in before:
        return (path,)
    return path, *_files(path.parent / f"{parent}.yaml", (*before, path))


def _extended(path: Path, read: Read, before: tuple[Path, ...]) -> dict[str, Any]:
    content = dict(read(path))
    if "extends" not in content:
        return content
    name = content.pop("extends")
    if not isinstance(name, str):
        raise AtlasError(
            f"{Place(path).naming(('extends',))}: 'extends' is {shown(name)}, but must be the name of a file."
        )
    file, chain = path.parent / f"{name}.yaml", (*before, path)
    if file in chain:
        circle = " -> ".join(one.stem for one in (*chain[chain.index(file) :], file))
        raise AtlasError(f"{Place(path).naming(('extends',))}: 'extends' goes round in a circle: {circle}.")
    if read is read_once and not file.is_file():
        there = sorted(one.stem for one in path.parent.glob("*.yaml") if one != path)
        raise AtlasError(
            f"{Place(path).naming(('extends',))}: 'extends' is '{name}', but {path.parent} has no {name}.yaml; "
            f"{instead(name, there)}"
        )
    parent = _extended(file, read, chain)
    if "keeps" in content:
        parent = _keeping(parent, content.pop("keeps"), path)
    return merge(parent, content)


def _keeping(parent: dict[str, Any], entries: Any, path: Path) -> dict[str, Any]:
    """The content with no other algorithms, at every scale."""
    where, there = Place(path).naming(("keeps",)), _mapping(parent.get("algorithms"))
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise AtlasError(f"{where}: 'keeps' is {shown(entries)}, but must be a list of algorithms.")
    for entry in entries:
        if entry not in there:
            hint = instead(entry, there)
            raise AtlasError(f"{where}: 'keeps' has '{entry}', which is none of the algorithms there; {hint}")

    def kept(content: Mapping[str, Any]) -> dict[str, Any]:
        algorithms = _mapping(content.get("algorithms"))
        return {**content, "algorithms": {entry: algorithms[entry] for entry in entries if entry in algorithms}}

    return kept(parent) | {scale: kept(_mapping(parent[scale])) for scale in SMALLER if scale in parent}


def _mapping(content: Any) -> Mapping[str, Any]:
    """The content if it is a mapping, else an empty one: what it is instead is told where it stands."""
    return content if isinstance(content, Mapping) else {}
