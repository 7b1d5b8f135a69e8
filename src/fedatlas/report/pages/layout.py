"""The header, navigation, style and footer that every page of the atlas lives in."""

from __future__ import annotations

import functools
import importlib.resources
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from fedatlas.claims.status import Status
from fedatlas.files import write_text
from fedatlas.formatting import duration, listed, number, unbroken


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("fedatlas.report.pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number, "listed": listed, "duration": duration, "unbroken": unbroken}
    environment.globals |= {"STATUSES": tuple(Status)}
    return environment


def render(template: str, **context: Any) -> str:
    """The HTML of one of the templates, its values escaped."""
    return _environment().get_template(template).render(**context)


def write_page(out: Path, name: str, title: str, body: str, navigation: Mapping[str, str]) -> None:
    """Writes one page: `body` inside the atlas's header, navigation, style and footer.

    The style knows these ready-made pieces, so a page needs no style of its own: `<h1>`, `<p class="lead">`,
    `<section class="figure">`, `<figure>` with `<figcaption>`, `<div class="scroll"><table>`, `<td class="number">`,
    `<ul class="badges"><li class="badge">`, `<dl class="facts">`, `<details>`, `<div class="papers">` of
    `<article class="card">`. Pictures: `<picture>` with a dark and a light SVG, always with an alt text.
    Nothing may be loaded from the network; a link `<a href="https://...">` to follow is fine.

    Args:
        out: the folder of all pages.
        name: the page's path in it, such as `data.html` or `notebooks/fco/run.html`.
        title: of the browser's tab.
        body: HTML of everything between header and footer, already escaped where it quotes.
        navigation: what the links to other pages say, by the pages' names.

    Raises:
        AtlasError: if the page cannot be written.
    """
    root = "../" * name.count("/")
    write_assets(out)
    links = navigation.items()
    page = render("layout.html.j2", root=root, name=name, title=title, navigation=links, body=Markup(body))
    write_text(out / name, page)


def write_assets(out: Path) -> None:
    """Puts the style and the script of the pages under `out`/assets, unless they are there already."""
    for asset in importlib.resources.files("fedatlas.report.pages").joinpath("assets").iterdir():
        text = asset.read_text(encoding="utf-8")
        path = out / "assets" / asset.name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            write_text(path, text)
