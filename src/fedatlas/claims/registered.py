"""When each published claim was written, as `fedatlas register` found it in git."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fedatlas.errors import AtlasError

FILE = "registered.json"


def read_registered(folder: Path) -> dict[str, dict[str, Any]]:
    """The state of every published claim, by `<paper>/<id>`; empty if none was written.

    Raises:
        AtlasError: if the file is damaged.
    """
    path = folder / FILE
    if not path.is_file():
        return {}
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise AtlasError(f"{path} is damaged ({error}): run `fedatlas register` again.") from error
