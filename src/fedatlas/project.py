"""Where the atlas lies, for notebooks, which start in folders of their own."""

from __future__ import annotations

from pathlib import Path

from fedatlas.errors import AtlasError


def project_root() -> Path:
    """The folder of the atlas: the nearest one above the current folder that holds its configuration.

    Raises:
        AtlasError: if there is none.
    """
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "config" / "experiments").is_dir():
            return folder
    raise AtlasError(f"{here} is not inside the atlas (no folder above it has config/experiments): start there.")
