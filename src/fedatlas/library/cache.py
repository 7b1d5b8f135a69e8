"""Where a user's clients and runs are kept, by what they are made from, so that nothing is computed twice."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from fedatlas.algorithms import algorithms
from fedatlas.data.store import ClientStore
from fedatlas.errors import AtlasError
from fedatlas.experiments.runs import RunId
from fedatlas.files import write_text
from fedatlas.library.clients import Clients
from fedatlas.library.own_code import source_of
from fedatlas.results.freshness import is_fresh
from fedatlas.results.run import Run, load_run
from fedatlas.running.provenance import program, versions

Found = TypeVar("Found")


class Cache:
    """A folder of client stores and runs.

    Args:
        folder: if not given, that of the environment variable FEDATLAS_CACHE, else ~/.cache/fedatlas.
    """

    def __init__(self, folder: str | Path | None = None):
        home = os.environ.get("FEDATLAS_CACHE") or Path.home() / ".cache" / "fedatlas"
        self.folder = Path(folder or home).expanduser()

    @property
    def stores(self) -> Path:
        """The folder of all client stores."""
        return self.folder / "clients"

    def store(self, clients: Clients, name: str) -> Path:
        """The client store of these clients, made if it is not there, and made again if it is damaged."""
        path = self.stores / name
        if not (path / "manifest.json").is_file() or _intact(ClientStore.open, path) is None:
            clients.write(path)
        return path

    def run(self, run: RunId) -> Run | None:
        """The finished run with these settings; None if there is none, or it is damaged."""
        folder = self.runs_of(run) / run.folder
        found = _intact(load_run, folder) if (folder / "run.json").is_file() else None
        return found if found and is_fresh(run, found.manifest) else None

    def has_diverged(self, run: RunId) -> bool:
        """Whether every configuration of the run with these settings has diverged."""
        return self._divergence(run).is_file()

    def keep_divergence(self, run: RunId) -> None:
        """Remembers that every configuration of the run has diverged."""
        write_text(self._divergence(run), "every configuration has diverged\n")

    def _divergence(self, run: RunId) -> Path:
        return self.runs_of(run) / run.folder / "diverged"

    def runs_of(self, run: RunId) -> Path:
        """The folder under which a run lies, with those of the same settings and other seeds."""
        about = json.dumps([run.settings, source_of(algorithms[run.algorithm]), program(), versions()])
        return self.folder / "runs" / hashlib.sha256(about.encode()).hexdigest()[:20]


def _intact(read: Callable[[Path], Found], path: Path) -> Found | None:
    """What is read; None, with a warning, if it is not as it was written."""
    try:
        return read(path)
    except AtlasError as error:
        warnings.warn(f"{str(error).rpartition(': ')[0]}: it is made again.", stacklevel=2)
        return None
