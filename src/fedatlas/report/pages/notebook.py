"""Executed notebooks as pages."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path

from pygments.formatters import HtmlFormatter

from fedatlas.errors import AtlasError
from fedatlas.files import write_text
from fedatlas.lazy import nbconvert, nbformat
from fedatlas.report.pages import layout


def write_notebook(source: Path, out: Path, name: str, title: str, navigation: Mapping[str, str]) -> str:
    """Writes the executed notebook `source` as the page `name` under `out` and returns `name`.

    Converted with nbconvert's basic template, whose fragment loads nothing from the network.

    Raises:
        AtlasError: if the file is not a notebook.
    """
    try:
        notebook = nbformat.read(source, as_version=4)
    except (nbformat.reader.NotJSONError, nbformat.ValidationError, AttributeError, TypeError, ValueError) as error:
        raise AtlasError(f"{source} is not a notebook; remove it and run the workflow again.") from error
    body, _ = _exporter().from_notebook_node(notebook)
    script = f'<script src="{"../" * name.count("/")}assets/vega.js"></script>'
    body = _BUNDLE.sub(lambda _: script, body)  # every chart of the notebook brings one of its own
    style = out / "assets" / "notebook.css"
    if not style.is_file() or style.read_text(encoding="utf-8") != _highlight():
        write_text(style, _highlight())
    page = layout.render("notebook.html.j2", title=title, body=layout.Markup(body), root="../" * name.count("/"))
    layout.write_page(out, name, title, page, navigation)
    return name


_BUNDLE = re.compile(r"<script[^>]*>\s*// vega-embed\.js bundle.*?</script>", re.DOTALL)


@functools.cache
def _exporter() -> nbconvert.HTMLExporter:
    """One for all notebooks: it compiles its templates when it first converts."""
    return nbconvert.HTMLExporter(template_name="basic")


@functools.cache
def _highlight() -> str:
    """Colours of code, for both themes."""
    light = HtmlFormatter(style="friendly").get_style_defs(".notebook .highlight")
    dark = HtmlFormatter(style="github-dark").get_style_defs(".notebook .highlight")
    plain = ".notebook .highlight { background: var(--raised); }"
    return f"{light}\n@media (prefers-color-scheme: dark) {{ {dark} }}\n{plain}\n"
