"""The page of the library: its document, the reference made from docstrings, and executed notebooks."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from html_page import Page
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import fedatlas as fa
from fedatlas.cli import main

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("reports")
    shown = [new_output("stream", text="accuracy 0.9\n")]
    cells = [new_markdown_cell("# Your own clients\n\nTen lines."), new_code_cell("study", outputs=shown)]
    nbformat.write(new_notebook(cells=cells), out / "your_own.ipynb")
    given = ["--page", "library", "--papers", "fco", "--guides", out / "your_own.ipynb", "--out", out]
    assert main(["report", "--published-only", "--config", str(ROOT / "config"), *map(str, given)]) == 0
    return out


def test_it_holds_the_document_and_links_the_executed_notebooks(site):
    page = Page(site / "library.html")
    assert "fa.compare" in page.text and "Your own clients" in page.text
    assert page.from_network == []
    here = [link.split("#")[0] for link in (*page.links, *page.loads) if not link.startswith(("http", "#", "data:"))]
    pages = {"index.html", "fco.html", "algorithms.html", "claims.html", "assumptions.html", "data.html", "speed.html"}
    assert {link for link in here if not (site / link).is_file()} <= pages  # which are made apart
    assert "notebooks/your_own.html" in here and "tff_process.ipynb" not in "".join(page.links)
    assert "accuracy 0.9" in (site / "notebooks/your_own.html").read_text()


@pytest.mark.parametrize(("content", "words"), [(None, "is not there: run the workflow"), ("{", "is not a notebook")])
def test_a_guide_that_cannot_be_read_is_named(content, words, tmp_path, capsys):
    guide = tmp_path / "guide.ipynb"
    if content:
        guide.write_text(content)
    given = ["--page", "library", "--papers", "fco", "--guides", guide, "--out", tmp_path / "reports"]
    assert main(["report", "--published-only", "--config", str(ROOT / "config"), *map(str, given)]) == 2
    assert f"guide.ipynb {words}" in capsys.readouterr().err


def test_the_reference_documents_all_that_is_offered(site):
    text = (site / "reference/fedatlas.html").read_text()
    assert [name for name in fa.__all__ if name[0] != "_" and f'id="{name}"' not in text] == []
    assert all(f'id="Study.{method}"' in text for method in ("best", "table", "curves", "plot", "page", "save"))
    base = (site / "reference/fedatlas/algorithms/base.html").read_text()
    assert 'id="Algorithm.step"' in base and "prefers-color-scheme" in base
    assert "../../../library.html" in base
