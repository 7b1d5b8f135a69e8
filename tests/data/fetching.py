"""Sources of one file or a few, for the tests of fetching."""

import hashlib
from pathlib import Path

import numpy as np

from fedatlas.data.download import Downloader
from fedatlas.data.raw import Raw
from fedatlas.data.sources import Source

CONTENT = np.random.default_rng(0).bytes(3_000_000)
CHUNK = 1 << 16  # bytes that are written at once
QUICK = Downloader(wait=0.01, connect=2, silence=0.3)


def source(**layouts) -> Source:
    """A source with these layouts, each a mapping of files."""
    return Source(
        title="t",
        citation="c",
        licence="l",
        homepage="https://a.org",
        layouts={name: _layout(files) for name, files in layouts.items()},
    )


def _layout(files) -> dict:
    hashed = all(file.get("sha256") or file.get("md5") for file in files.values())
    return {"files": files, "folders": ["elsewhere"], "unchecked": None if hashed else "nobody knows a hash"}


def one_file(url: str | None = None, content: bytes = CONTENT, **facts) -> Source:
    known = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()} | facts
    return source(only={"images.gz": known | {"urls": [url] if url else []}})


def fetched(raw: Path) -> bytes:
    return Raw.open(raw, "made").path("images.gz").read_bytes()


def files_of(raw: Path) -> set[str]:
    return {path.name for path in (raw / "made").iterdir()}
