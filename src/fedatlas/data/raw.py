"""Fetched files: every source has a folder with its files and a receipt that says what they are.

<raw>/<source>/receipt.json     title, citation, licence, note, kind, layout, and size, sha256, origin of each file
<raw>/<source>/<file> ...
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fedatlas.data.kinds import DataKind
from fedatlas.errors import AtlasError
from fedatlas.files import write_text
from fedatlas.intact import digest_of, sha256_of

RECEIPT, FORMAT = "receipt.json", "fedatlas-raw/1"
_KEYS = {"source", "kind", "title", "citation", "licence", "homepage", "note", "layout", "files"}


class Raw:
    """A source's folder, opened."""

    def __init__(self, folder: Path, receipt: Mapping[str, Any]):
        self.folder, self.receipt = folder, receipt

    @classmethod
    def open(cls, raw: Path, source: str) -> Raw:
        """Opens the folder of a source and checks that every file is as it was fetched.

        Raises:
            AtlasError: if the source has not been fetched, or a file is missing or damaged.
        """
        opened = cls.look(raw, source)
        if opened is None:
            fetch = f"run `fedatlas data fetch {source} --raw {raw}`"
            if (receipt := raw / source / RECEIPT).is_file():
                raise AtlasError(f"{receipt} is damaged: {fetch}, which writes it again.")
            raise AtlasError(f"{raw / source} is not there: {fetch} first.")
        damaged = opened.damaged(hashes=True)
        if damaged:
            raise AtlasError(
                f"{opened.folder / damaged[0]} is missing or damaged: run `fedatlas data fetch {source} --raw {raw}`, "
                "which fetches it again."
            )
        return opened

    @classmethod
    def look(cls, raw: Path, source: str) -> Raw | None:
        """The folder of a source as it is; None if it has no receipt, or a damaged one."""
        try:
            receipt = json.loads((raw / source / RECEIPT).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if not isinstance(receipt, dict):
            return None
        stamp = receipt.pop("sha256", None)
        whole = receipt.get("format") == FORMAT and stamp in (None, digest_of(receipt))  # None: of an earlier version
        return cls(raw / source, receipt) if whole and receipt.keys() >= _KEYS else None

    @property
    def name(self) -> str:
        return self.receipt["source"]

    @property
    def layout(self) -> str:
        return self.receipt["layout"]

    @property
    def kind(self) -> DataKind:
        """Real or a stand-in."""
        return DataKind(self.receipt["kind"])

    @property
    def description(self) -> dict[str, Any]:
        """What a store's manifest says about where its data comes from."""
        return {
            key: self.receipt[key] for key in ("source", "title", "citation", "licence", "homepage", "layout", "note")
        }

    def path(self, name: str) -> Path:
        """A file of the source."""
        return self.folder / name

    def damaged(self, hashes: bool = False) -> list[str]:
        """The files that are missing or have another size, or, slower, another sha256 than the receipt says."""
        return [name for name, entry in self.receipt["files"].items() if not _intact(self.folder / name, entry, hashes)]


def _intact(path: Path, entry: Mapping[str, Any], hashes: bool) -> bool:
    if not path.is_file() or path.stat().st_size != entry["size"]:
        return False
    return not hashes or sha256_of(path) == entry["sha256"]


def write_receipt(folder: Path, facts: Mapping[str, Any], origins: Iterable[tuple[str, str]]) -> Raw:
    """Writes the receipt of a source's folder: `origins` are the files in it and where each came from."""
    files = {
        name: {"size": (folder / name).stat().st_size, "sha256": sha256_of(folder / name), "origin": origin}
        for name, origin in origins
    }
    receipt = {"format": FORMAT, **facts, "files": files}
    write_text(folder / RECEIPT, json.dumps(receipt | {"sha256": digest_of(receipt)}, indent=1))
    return Raw(folder, receipt)
