"""What an unfinished run has computed so far, in one file that is replaced as a whole."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fedatlas.files import atomic


class Checkpoint:
    """The checkpoint of one run.

    Args:
        path: the file.
        fingerprint: what the run's result depends on; a checkpoint with another fingerprint is not used.
    """

    def __init__(self, path: Path, fingerprint: str):
        self._path, self._fingerprint = path, fingerprint

    def save(self, progress: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
        """Replaces the checkpoint; `progress` must be JSON."""
        header = np.array(json.dumps({"fingerprint": self._fingerprint, "progress": progress}))
        with atomic(self._path) as partial, partial.open("wb") as file:
            np.savez(file, header=header, **arrays)

    def load(self) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
        """The progress and the arrays; None if there is no checkpoint of this run, or it cannot be read."""
        try:
            with np.load(self._path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            header = json.loads(str(arrays.pop("header")))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, zipfile.BadZipFile):
            print(f"{self._path} is damaged and not used: this run starts from its beginning.")
            return None
        return (header["progress"], arrays) if header["fingerprint"] == self._fingerprint else None

    def remove(self) -> None:
        """Removes the checkpoint of a run that has finished."""
        self._path.unlink(missing_ok=True)
