"""reports/published/SHA256SUMS: what was published, to the byte; `sha256sum -c SHA256SUMS` reads it too.

Whatever writes there works on a copy of the folder, which takes its place as a whole once its sums are written. So what
is read is always one whole state, whenever a writer is killed.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from fedatlas.errors import AtlasError
from fedatlas.files import atomic, write_text, writing
from fedatlas.intact import sha256_of

FILE = "SHA256SUMS"
_KINDS = (".json", ".csv", ".svg", ".md")  # what is published; other files are nobody's business here
_MENDS = "`git checkout -- reports/published` restores it; after a git merge, run `fedatlas seal`"


def seal(folder: Path) -> list[str]:
    """Writes the sums of what is there now; returns the files that are new, gone or other than they were."""
    before, now = _read(folder), {name: sha256_of(folder / name) for name in _names(folder)}
    write_text(folder / FILE, "".join(f"{digest}  {name}\n" for name, digest in now.items()))
    return sorted({name for name, _ in before.items() ^ now.items()})


def check(folder: Path, paper: str = "*") -> None:
    """Compares what is published of a paper, or of all, and what is over all papers with the sums.

    Raises:
        AtlasError: at the first file that is missing, not listed, or not what was published.
    """
    known = {name: digest for name, digest in _read(folder).items() if _concerns(name, paper)}
    there = [name for name in _names(folder) if _concerns(name, paper)]
    for name in sorted({*known, *there}):
        path = folder / name
        if name not in known:
            raise AtlasError(f"{path} is not in {folder / FILE}, so it was not published: {_MENDS}.")
        if not path.is_file():
            raise AtlasError(f"{path} is missing, which was published: {_MENDS}.")
        if sha256_of(path) != known[name]:
            raise AtlasError(f"{path} is not what was published (see {folder / FILE}): {_MENDS}.")


@contextlib.contextmanager
def edited(folder: Path) -> Iterator[Path]:
    """Yields a copy of what is published; when nothing fails it takes the folder's place, with its sums.

    Raises:
        AtlasError: as `check`, if another process is writing there, or if the disk cannot be written.
    """
    folder = folder.resolve()
    with _alone(folder.parent), atomic(folder) as copy:
        check(folder)
        shutil.copytree(folder, copy) if folder.is_dir() else copy.mkdir()
        yield copy
        seal(copy)


@contextlib.contextmanager
def _alone(parent: Path) -> Iterator[None]:
    """Lets one process at a time edit what lies in the folder; of two copies one would be lost."""
    with writing(parent):
        parent.mkdir(parents=True, exist_ok=True)
        held = os.open(parent, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise AtlasError(f"another process is publishing in {parent}: wait until it has ended.") from error
    finally:
        os.close(held)


def _read(folder: Path) -> dict[str, str]:
    """The sums by name; empty if there are none."""
    path = folder / FILE
    if not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}


def _names(folder: Path) -> list[str]:
    paths = folder.rglob("*") if folder.is_dir() else ()
    return sorted(path.relative_to(folder).as_posix() for path in paths if path.suffix in _KINDS and path.is_file())


def _concerns(name: str, paper: str) -> bool:
    first, _, rest = name.partition("/")
    return not rest or paper in ("*", first)
