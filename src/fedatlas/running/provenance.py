"""Which program, on which machine, computed a result."""

from __future__ import annotations

import contextlib
import datetime
import functools
import hashlib
import importlib.metadata
import platform
import resource
import subprocess
from pathlib import Path
from typing import NamedTuple

import psutil

import fedatlas

# What of the library a run's numbers come from.
COMPUTING = ("algorithms", "data", "experiments", "federated", "problems", "prox", "results", "running")
BESIDE = ("seeds.py", "library/keras_model.py")
_PACKAGES = ("tensorflow", "tensorflow-federated", "numpy", "pandas")


def versions() -> dict[str, str]:
    """The versions of Python, of this package and of what it computes with, as far as that is installed."""
    found = {}
    for name in _PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name.replace("-", "_")] = importlib.metadata.version(name)
    return {"python": platform.python_version(), "fedatlas": fedatlas.__version__, **found}


@functools.cache
def program() -> str:
    """A digest of what computes."""
    root, found = Path(fedatlas.__file__).parent, hashlib.sha256()
    folders = (path for folder in COMPUTING for path in sorted((root / folder).rglob("*.py")))
    for path in (*folders, *(root / name for name in BESIDE)):
        found.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return found.hexdigest()


class Origin(NamedTuple):
    """When a run was begun, and of which sources.

    Attributes:
        started: ISO 8601, UTC.
        commit: None outside git.
        dirty: whether the sources differed from the commit, then or when the run went on.
        resumed: the other commits at which it went on.
    """

    started: str
    commit: str | None
    dirty: bool
    resumed: tuple[str, ...] = ()

    def resumes(self, first: Origin) -> Origin:
        """Of a run that was begun earlier and goes on from here."""
        commits = dict.fromkeys([*first.resumed, *((self.commit,) if self.commit else ())])
        resumed = tuple(commit for commit in commits if commit != first.commit)
        return first._replace(dirty=first.dirty or self.dirty, resumed=resumed)


def origin() -> Origin:
    """Of a run that begins now."""
    return Origin(datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), *commit())


def commit() -> tuple[str | None, bool]:
    """The commit of the sources, and whether library, configuration or notebooks differ
    from it, such as by a file that git does not have; None outside git."""
    here = Path(fedatlas.__file__).parent

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", str(here), *arguments], capture_output=True, text=True, check=True, timeout=30
        ).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--", ":/src", ":/config", ":/notebooks")
        return git("rev-parse", "HEAD"), bool(changed)
    except (OSError, subprocess.SubprocessError):
        return None, False


def peak_memory_mb() -> float:
    """The largest resident memory of this process so far, with that of its children now, in MB."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    children = sum(map(_resident, psutil.Process().children(recursive=True))) / 2**20
    return round(own + children, 1)


def _resident(process: psutil.Process) -> int:
    """The resident memory of a process, in bytes; none if it has just ended."""
    with contextlib.suppress(psutil.Error):
        return process.memory_info().rss
    return 0


def processor() -> str:
    """The processor's name, as far as the system tells it."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
