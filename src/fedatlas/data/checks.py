"""Comparing all that lies in a folder with its hashes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from fedatlas.data.raw import RECEIPT, Raw
from fedatlas.data.store import ClientStore
from fedatlas.errors import AtlasError


def check(folder: Path) -> Iterator[tuple[Path, str | None]]:
    """Every source's folder and client store at or below `folder`, and what is wrong with it, if anything.

    Raises:
        AtlasError: if there is no such folder.
    """
    if not folder.is_dir():
        raise AtlasError(f"{folder} is not a folder.")
    checks = {RECEIPT: _raw, "manifest.json": _store}
    for path in sorted(folder.rglob("*.json")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.name in checks and not hidden and not is_of_results(path):
            try:
                checks[path.name](path.parent)
                yield path.parent, None
            except AtlasError as error:
                yield path.parent, str(error)


def is_of_results(path: Path) -> bool:
    """Whether it is the manifest of published results, which say nothing of a format; what is no JSON is not."""
    try:
        content = json.loads(path.read_bytes())
    except ValueError:
        return False
    return isinstance(content, dict) and "runs" in content


def _raw(folder: Path) -> None:
    Raw.open(folder.parent, folder.name)


def _store(folder: Path) -> None:
    ClientStore.open(folder).verify()
