"""How notebooks show pictures and charts: on white, and without a network."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd
from IPython.display import HTML

from fedatlas.report.drawing import theme
from fedatlas.report.drawing.picture import Draw
from fedatlas.report.drawing.svg import svg


def facets(rows: pd.DataFrame, colours: Mapping[str, str], x: str, y: str) -> alt.Chart:
    colour = alt.Color("algorithm:N").scale(domain=[*colours], range=[*colours.values()])
    return (
        alt.Chart(rows)
        .mark_line()
        .encode(x=alt.X("x:Q", title=x), y=alt.Y("value:Q", title=y).scale(zero=False), color=colour)
        .encode(detail="seed:N", facet=alt.Facet("experiment:N", columns=2, title=None), tooltip=list(rows))
        .properties(width=330, height=220)
        .resolve_scale(x="independent", y="independent")
    )


def image(draw: Draw, columns: int, alt_text: str) -> str:
    """The picture as an HTML image on white, whatever the notebook's theme."""
    with theme.style(theme.LIGHT):
        content = base64.b64encode(svg(draw(theme.LIGHT, columns), follow=False)).decode()
    source = f"data:image/svg+xml;base64,{content}"
    return f'<img style="background: white" alt="{html.escape(alt_text)}" src="{source}">'


def together(parts: Sequence[tuple[str, str]]) -> HTML:
    """Titles, and the HTML that stands under each."""
    return HTML("".join(f"<h4>{html.escape(title)}</h4>{content}" for title, content in parts))


MARK = "\\ue000"  # as JSON writes a letter of Unicode's private use area, in which no text is written


def _offline(spec: dict, **_) -> dict[str, str]:
    """A chart with its script inside: it needs no network, in the notebook and in the page made from it.

    No `<` of the chart's own texts stands in the script: `<!--` or `<script` there would change where it ends.
    """
    marked = json.loads(json.dumps(spec).replace("<", MARK))
    return {"text/html": alt.Chart.from_dict(marked).to_html(inline=True, fullhtml=False).replace(MARK, "\\u003c")}


alt.renderers.register("fedatlas", _offline)
alt.renderers.enable("fedatlas")
alt.data_transformers.disable_max_rows()  # the page is read from disk
pd.set_option("display.max_colwidth", None)
