"""Pictures and charts inside a notebook, which need no file and no network."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable

import altair as alt
import pandas as pd
from IPython.display import HTML

from fedatlas.report.figures import theme
from fedatlas.report.pictures import Draw


def image(draw: Draw, columns: int, alt_text: str) -> str:
    """The picture as an HTML image on white, whatever the notebook's theme."""
    with theme.style(theme.LIGHT):
        content = base64.b64encode(theme.svg(draw(theme.LIGHT, columns))).decode()
    source = f"data:image/svg+xml;base64,{content}"
    return f'<img style="background: white" alt="{html.escape(alt_text)}" src="{source}">'


def together(parts: Iterable[tuple[str, str]]) -> HTML:
    """Titles, and the HTML that stands under each."""
    return HTML("".join(f"<h4>{html.escape(title)}</h4>{content}" for title, content in parts))


def _offline(spec: dict, **_) -> dict[str, str]:
    """A chart with its script inside: it needs no network, in the notebook and in the page made from it."""
    return {"text/html": alt.Chart.from_dict(spec).to_html(inline=True, fullhtml=False)}


alt.renderers.register("fedatlas", _offline)
alt.renderers.enable("fedatlas")
alt.data_transformers.disable_max_rows()  # the page is read from disk
pd.set_option("display.max_colwidth", None)
