"""Writing files so that a reader never sees half of one."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import glob
import os
import platform
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

import psutil

from fedatlas.errors import AtlasError

_HOST = platform.node()
_MENDS = {
    errno.ENOSPC: "the disk is full: free some space and run the same command again",
    errno.EDQUOT: "the disk quota is used up: free some space and run the same command again",
    errno.EACCES: "there is no permission to write here: change the owner or the mode of this folder",
    errno.EPERM: "there is no permission to write here: change the owner or the mode of this folder",
    errno.EROFS: "the file system is read-only: choose another folder",
    errno.EISDIR: "a folder has this name: choose another",
    errno.ENOTDIR: "a part of this path is a file: choose another folder",
}

_OCCUPIED = (errno.ENOTEMPTY, errno.EEXIST)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns a failure to write `path` into one sentence.

    Raises:
        AtlasError: on a full disk, a missing permission, a read-only file system or a file in place of a folder, or
            a folder in place of a file.
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

    The caller may make a file or a folder there; a folder replaces a folder of an earlier run. What a killed process
    left there is removed.

    Raises:
        AtlasError: on a full disk, a missing permission or a read-only file system.
    """
    path = Path(path)
    partial = path.parent / f".{path.name}.{_HOST}-{os.getpid()}-{uuid.uuid4().hex[:8]}.partial"
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            _clear(path)
            yield partial
            _replace(partial, path)
        finally:
            _remove(partial)


def _replace(partial: Path, path: Path) -> None:
    if not (path.is_dir() and partial.is_dir()):
        try:
            partial.replace(path)
        except OSError as error:
            if error.errno not in _OCCUPIED:
                raise
            _replace(partial, path)  # another process has made the folder since we looked
    elif not _exchange(partial, path):
        old = partial.with_suffix(".old.partial")
        path.replace(old)
        partial.replace(path)
        _remove(old)


def _exchange(one: Path, other: Path) -> bool:
    """Exchanges two folders in one step, so that there is always one; False where the system cannot."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return rename is not None and rename(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0


def _clear(path: Path) -> None:
    """Removes what processes of this machine that are gone have begun to write as `path`."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.{glob.escape(_HOST)}-*.partial"):
        process = left.name.removeprefix(f".{path.name}.{_HOST}-").partition("-")[0]
        whole = ".old." in left.name and not path.exists()  # all that is left of an exchange that was cut off
        if process.isdigit() and not psutil.pid_exists(int(process)) and not whole:
            _remove(left)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def write_text(path: str | os.PathLike, text: str) -> None:
    """Writes `text` to `path` atomically, as UTF-8."""
    with atomic(path) as partial:
        partial.write_text(text, encoding="utf-8")
