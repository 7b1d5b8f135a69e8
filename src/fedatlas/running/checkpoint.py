"""What an unfinished run has computed so far, in one file that is replaced as a whole.

The file is the sha256 of the rest, and then what numpy saves: its own checksums leave names and lengths unchecked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from io import BufferedRandom, BufferedReader
from pathlib import Path
from typing import Any

import numpy as np

from fedatlas.files import atomic

_FORMAT = 2  # since it keeps when and of which sources the run was begun
_DIGEST = hashlib.sha256().digest_size


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
        header = np.array(json.dumps({"format": _FORMAT, "fingerprint": self._fingerprint, "progress": progress}))
        with atomic(self._path) as partial, partial.open("w+b") as file:
            file.seek(_DIGEST)
            np.savez(file, header=header, **arrays)
            digest = _digest(file)
            file.seek(0)
            file.write(digest)

    def load(self) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
        """The progress and the arrays; None if there is no checkpoint of this run, or it is damaged."""
        try:
            with self._path.open("rb") as file:
                if file.read(_DIGEST) != _digest(file):
                    raise ValueError("another sha256")
                file.seek(_DIGEST)
                with np.load(file, allow_pickle=False) as saved:
                    arrays = dict(saved)
        except FileNotFoundError:
            return None
        except (OSError, ValueError):
            print(f"{self._path} is damaged and not used: this run starts from its beginning.")
            return None
        header = json.loads(str(arrays.pop("header")))
        is_ours = (header.get("format"), header["fingerprint"]) == (_FORMAT, self._fingerprint)
        return (header["progress"], arrays) if is_ours else None

    def remove(self) -> None:
        """Removes the checkpoint of a run that has finished."""
        self._path.unlink(missing_ok=True)


def _digest(file: BufferedReader | BufferedRandom) -> bytes:
    """The sha256 of what follows its place in the file."""
    file.seek(_DIGEST)
    return hashlib.file_digest(file, "sha256").digest()
