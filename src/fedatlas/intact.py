"""Whether files are still those that were written: every byte is read once, and again after any change of a file.

What was read and found right is remembered in a file beside what it is about, by size, times and inode of every file.
So a bit that the disk turns by itself, of which the file system knows nothing, is not noticed until `forget`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fedatlas.errors import AtlasError
from fedatlas.files import write_text

REMEMBERED = ".verified"
YOUNG = 2.0  # seconds: what changed in the last ones could change again at what its file system takes for the same time


def sha256_of(path: Path) -> str:
    """The sha256 of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of(content: Mapping[str, Any]) -> str:
    """The sha256 of a JSON object, in whatever order its keys are."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def first_changed(folder: Path, known: Mapping[str, str]) -> str | None:
    """The first file that is missing or has another sha256 than the known one; None if all are as they were.

    Args:
        known: sha256 by name, relative to the folder.
    """
    missing = next((name for name in known if not (folder / name).is_file()), None)
    if missing is not None:
        return missing
    seen = [_stamp(folder / name) for name in known]
    stamp = hashlib.sha256(json.dumps([dict(known), seen]).encode()).hexdigest()
    memory = folder / REMEMBERED
    with contextlib.suppress(OSError, ValueError):
        if memory.read_text(encoding="utf-8") == stamp:
            return None
    changed = next((name for name, digest in known.items() if sha256_of(folder / name) != digest), None)
    if changed is None and not any(time.time_ns() - changed_at < YOUNG * 1e9 for *_, changed_at in seen):
        with contextlib.suppress(AtlasError, OSError):  # a folder that cannot be written is read anew every time
            write_text(memory, stamp)
    return changed


def forget(folder: Path) -> None:
    """Has every byte of the folder read again when it is next asked for."""
    with contextlib.suppress(OSError):
        (folder / REMEMBERED).unlink(missing_ok=True)


def _stamp(path: Path) -> tuple[int, int, int, int]:
    """What changes when a file does: size, inode, time of the content and time of the file (ns)."""
    found = path.stat()
    return found.st_size, found.st_ino, found.st_mtime_ns, found.st_ctime_ns
