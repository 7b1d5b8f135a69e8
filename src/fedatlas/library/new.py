"""`fedatlas new`: a folder for a study, which Snakemake runs wherever it lies."""

from __future__ import annotations

import importlib.resources
import json
import sys
from collections.abc import Iterator
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path

import fedatlas
from fedatlas.errors import AtlasError
from fedatlas.files import atomic, write_text


def write_new(folder: Path) -> list[str]:
    """Writes a study on clients that come with scikit-learn, ready to run and to change.

    Returns:
        The names of its files.

    Raises:
        AtlasError: if there is something at that place, or it cannot be written.
    """
    if folder.exists():
        raise AtlasError(f"{folder} exists: choose another name, or remove it.")
    words = folder.name.replace("-", " ").replace("_", " ")
    title = json.dumps(words[:1].upper() + words[1:], ensure_ascii=False)[1:-1]  # as YAML and notebooks quote it
    preload = str(importlib.resources.files("fedatlas.library") / "preload.py")
    values = {"@TITLE@": title, "@PYTHON@": runner(), "@PRELOAD@": preload}
    with atomic(folder) as partial:
        names = []
        for name, text in _templates(importlib.resources.files("fedatlas.library") / "template"):
            for mark, value in values.items():
                text = text.replace(mark, value)
            write_text(partial / name, text)
            names.append(name)
    return sorted(names)


def runner() -> str:
    """The Python that has TensorFlow Federated: this one, or that of the atlas's environment beside its clone."""
    beside = Path(fedatlas.__file__).parents[2] / ".env" / "tff" / "bin" / "python"
    return str(beside) if not find_spec("tensorflow_federated") and beside.is_file() else sys.executable


def _templates(folder: Traversable, above: str = "") -> Iterator[tuple[str, str]]:
    for one in folder.iterdir():
        if one.is_dir() and one.name != "__pycache__":
            yield from _templates(one, f"{above}{one.name}/")
        elif one.is_file():
            yield f"{above}{one.name}", one.read_text(encoding="utf-8")
