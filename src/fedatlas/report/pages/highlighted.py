"""Code in colours, for both themes."""

from __future__ import annotations

import functools
from pathlib import Path

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from fedatlas.files import write_text

PATH = "assets/notebook.css"


def python(code: str) -> Markup:
    """The HTML of Python code, in a `notebook` block."""
    return Markup(f'<div class="notebook code">{highlight(code, PythonLexer(), HtmlFormatter())}</div>')


def write_style(out: Path) -> None:
    """Puts the colours under `out`/assets, unless they are there already."""
    style = out / PATH
    if not style.is_file() or style.read_text(encoding="utf-8") != _style():
        write_text(style, _style())


@functools.cache
def _style() -> str:
    light = HtmlFormatter(style="friendly").get_style_defs(".notebook .highlight")
    dark = HtmlFormatter(style="github-dark").get_style_defs(".notebook .highlight")
    plain = ".notebook .highlight { background: var(--raised); }"
    return f"{light}\n@media (prefers-color-scheme: dark) {{ {dark} }}\n{plain}\n"
