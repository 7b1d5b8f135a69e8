"""Temporary folders that do not outlive the process that made them, however it ends.

A process holds a lock on each of its folders, which the operating system gives back when it ends. So whoever starts
next can tell which folders nobody needs any more, also across containers that share a temporary folder.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import NoReturn, TextIO

from fedatlas.files import writing
from fedatlas.machine import temporary

PREFIX = "fedatlas-"
LOCK = ".in-use"
LONGEST = 60  # characters of a temporary folder in which sockets lie; the path of a Unix socket may have 107

_held: list[tuple[Path, int, TextIO]] = []  # the folders, the process that made each, and its open lock


def make_scratch() -> Path:
    """A new folder for temporary files, of this process until it ends; removes what ended processes left.

    Raises:
        AtlasError: if the temporary folder cannot be written.
    """
    usual = temporary()
    place = usual if len(str(usual)) < LONGEST else Path("/tmp")
    clear(place)
    with writing(place):
        made = Path(tempfile.mkdtemp(prefix=f".{PREFIX}", dir=place))
        lock = (made / LOCK).open("w")
        fcntl.flock(lock, fcntl.LOCK_EX)
        named = made.rename(made.with_name(made.name.removeprefix(".")))  # only once it is locked
    _held.append((named, os.getpid(), lock))
    return named


@atexit.register
def drop_scratch() -> None:
    """Removes the folders that this process made, and not those of its parent."""
    for folder, owner, _ in _held:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)


def leave(number: int, _frame: object) -> NoReturn:
    """A handler of signals for the time before any job runs: says so and ends this process at once.

    An exception would be lost where the signal interrupts a callback, as of an import or of the garbage collector.
    """
    os.write(sys.stderr.fileno(), b"\nfedatlas: stopped before anything ran: run the same command again.\n")
    drop_scratch()
    os._exit(128 + number)


def clear(place: Path) -> None:
    """Removes the scratch folders under `place` whose processes have ended."""
    for lock in place.glob(f"{PREFIX}*/{LOCK}"):
        with contextlib.suppress(OSError), lock.open("a") as opened:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(lock.parent, ignore_errors=True)
