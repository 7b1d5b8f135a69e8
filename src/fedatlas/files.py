"""Writing files so that a reader never sees half of one."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

from fedatlas.errors import AtlasError

_MENDS = {
    errno.ENOSPC: "the disk is full: free some space and run the same command again",
    errno.EDQUOT: "the disk quota is used up: free some space and run the same command again",
    errno.EACCES: "there is no permission to write here: change the owner or the mode of this folder",
    errno.EPERM: "there is no permission to write here: change the owner or the mode of this folder",
    errno.EROFS: "the file system is read-only: choose another folder",
}


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns a failure to write `path` into one sentence.

    Raises:
        AtlasError: on a full disk, a missing permission or a read-only file system.
    """
    try:
        yield
    except OSError as error:
        mend = _MENDS.get(error.errno or 0)
        if mend is None:
            raise
        raise AtlasError(f"{path} cannot be written: {mend}.") from error


@contextlib.contextmanager
def atomic(path: str | os.PathLike) -> Iterator[Path]:
    """Yields a temporary path beside `path`; on success it becomes `path`, on failure it is removed.

    The caller may make a file or a folder there; a folder replaces a folder of an earlier run.

    Raises:
        AtlasError: on a full disk, a missing permission or a read-only file system.
    """
    path = Path(path)
    partial = path.parent / f".{path.name}.{uuid.uuid4().hex[:8]}.partial"
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield partial
            _replace(partial, path)
        finally:
            if partial.is_dir():
                shutil.rmtree(partial, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):
                    partial.unlink(missing_ok=True)


def _replace(partial: Path, path: Path) -> None:
    if path.is_dir() and partial.is_dir():
        old = path.parent / f".{path.name}.{uuid.uuid4().hex[:8]}.old"
        path.replace(old)
        partial.replace(path)
        shutil.rmtree(old, ignore_errors=True)
    else:
        partial.replace(path)


def write_text(path: str | os.PathLike, text: str) -> None:
    """Writes `text` to `path` atomically, as UTF-8."""
    with atomic(path) as partial:
        partial.write_text(text, encoding="utf-8")
