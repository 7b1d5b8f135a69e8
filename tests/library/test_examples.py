"""Notebooks and documents use what is documented, and nothing else: no leading underscore, no other module."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

import fedatlas as fa

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs/library.md"
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MODULES = {"fedatlas", *re.findall(r"`(fedatlas\.[\w.]+)`", DOCUMENT.read_text(encoding="utf-8"))}
OFFERED = {"fa": set(fa.__all__), "fa.Study": {*dir(fa.Study)}}


def examples(path: Path) -> list[str]:
    """The Python code of a notebook's cells or of a document's blocks."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def internal(code: str) -> list[str]:
    """The names in the code that are not documented."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "fedatlas":
            names = [alias.name for alias in node.names]
            found += [node.module] if node.module not in MODULES else [n for n in names if n.startswith("_")]
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.split(".")[0] == "fedatlas"]
            found += [name for name in names if name not in MODULES]
        if isinstance(node, ast.Attribute):
            if node.attr.startswith("_") and not node.attr.endswith("__"):
                found.append(node.attr)
            if isinstance(node.value, ast.Name) and node.value.id == "fa" and node.attr not in OFFERED["fa"]:
                found.append(f"fa.{node.attr}")
    return found


@pytest.mark.parametrize("path", [*DOCUMENTS, *NOTEBOOKS], ids=lambda path: path.name)
def test_no_example_uses_an_internal_name(path):
    assert [name for code in examples(path) for name in internal(code)] == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import fedatlas as fa\nfa.compere()", ["fa.compere"]),
        ("from fedatlas.results.run import load_run", ["fedatlas.results.run"]),
        ("import fedatlas.config", ["fedatlas.config"]),
        ("datasets._classes", ["_classes"]),
        ("from fedatlas.algorithms import _traits", ["_traits"]),
        ("import fedatlas as fa\nfa.clients.__doc__", []),
    ],
)
def test_an_internal_name_would_be_found(code, found):
    assert internal(code) == found


def test_the_document_names_all_that_is_offered():
    text = DOCUMENT.read_text(encoding="utf-8")
    assert [name for name in fa.__all__ if name != "__version__" and f"`fa.{name}`" not in text] == []
    methods = {"best", "table", "curves", "plot", "page", "save"}
    assert all(f"`{name}()`" in text and hasattr(fa.Study, name) for name in methods)


def test_notebooks_are_committed_without_outputs():
    for path in NOTEBOOKS:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells), path.name
