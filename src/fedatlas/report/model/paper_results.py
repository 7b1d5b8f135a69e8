"""The papers' own numbers: config/paper_results/<file>.yaml, as they were copied from the papers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fedatlas.config import read_yaml
from fedatlas.errors import AtlasError
from fedatlas.names import instead


class PaperResults:
    """The files of one folder, each read when it is first asked for."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._read: dict[str, dict[str, Any]] = {}

    def __getitem__(self, name: str) -> dict[str, Any]:
        """The content of `<name>.yaml`.

        Raises:
            AtlasError: if there is no such file; lists those that there are.
        """
        if name not in self._read:
            path = self.folder / f"{name}.yaml"
            if not path.is_file():
                there = sorted(p.stem for p in self.folder.glob("*.yaml"))
                raise AtlasError(f"{path} does not exist; {instead(name, there)}")
            self._read[name] = read_yaml(path)
        return self._read[name]
