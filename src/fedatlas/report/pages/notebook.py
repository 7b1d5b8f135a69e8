"""Executed notebooks as pages."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path

from fedatlas.errors import AtlasError
from fedatlas.lazy import nbconvert, nbformat
from fedatlas.report.pages import highlighted, layout


def read_notebook(path: Path) -> nbformat.NotebookNode:
    """An executed notebook.

    Raises:
        AtlasError: if the file is not a notebook, or not there.
    """
    try:
        return nbformat.read(path, as_version=4)
    except FileNotFoundError as error:
        raise AtlasError(f"{path} is not there: run the workflow, which makes it.") from error
    except (nbformat.reader.NotJSONError, nbformat.ValidationError, AttributeError, TypeError, ValueError) as error:
        raise AtlasError(f"{path} is not a notebook; remove it and run the workflow again.") from error


def write_notebook(source: Path, out: Path, name: str, title: str, navigation: Mapping[str, str]) -> str:
    """Writes the executed notebook `source` as the page `name` under `out` and returns `name`.

    Converted with nbconvert's basic template, whose fragment loads nothing from the network.

    Raises:
        AtlasError: if the file is not a notebook, or not there.
    """
    body, _ = _exporter().from_notebook_node(read_notebook(source))
    script = f'<script src="{"../" * name.count("/")}assets/vega.js"></script>'
    body = _BUNDLE.sub(lambda _: script, body)  # every chart of the notebook brings one of its own
    highlighted.write_style(out)
    page = layout.render("notebook.html.j2", title=title, body=layout.Markup(body), root="../" * name.count("/"))
    layout.write_page(out, name, title, page, navigation)
    return name


_BUNDLE = re.compile(r"<script[^>]*>\s*// vega-embed\.js bundle.*?</script>", re.DOTALL)


@functools.cache
def _exporter() -> nbconvert.HTMLExporter:
    """One for all notebooks: it compiles its templates when it first converts."""
    return nbconvert.HTMLExporter(template_name="basic")
