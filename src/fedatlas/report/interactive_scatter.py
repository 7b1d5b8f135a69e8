"""The interactive view of a scatter: point at a dot to read its rates, choose the round, hide an algorithm."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from fedatlas.claims.evidence import Evidence
from fedatlas.claims.words import hyperparameter_name
from fedatlas.report import frames
from fedatlas.report.figures.scatter import dots
from fedatlas.report.interactive import colour, dressed, legend, rounded
from fedatlas.report.papers import Figure


def explorer(evidence: Evidence, key: str, figure: Figure) -> dict[str, Any]:
    """What the page's script needs: the chart, and the choices that its buttons offer."""
    runs = frames.federated(evidence, key)
    names = frames.names(runs)
    colours = {names[algorithm]: frames.style_colour(value) for algorithm, value in frames.colours(runs).items()}
    table = dots(evidence, key, figure).replace({"algorithm": names})
    rounds = sorted(table["round"].unique().tolist(), reverse=True)
    return {
        "spec": _chart(table, colours, figure, rounds[0]).to_dict(),
        "choices": [("after round", "after", [(number, str(number)) for number in rounds])],
        "algorithms": legend(colours),
    }


def _chart(table: pd.DataFrame, colours: dict[str, str], figure: Figure, last: int) -> alt.Chart:
    scatter = figure.scatter
    rates = [name for name in table if name.endswith("_lr")]
    tooltip = [
        alt.Tooltip("algorithm:N"),
        *(alt.Tooltip(f"{name}:Q", title=hyperparameter_name(name)) for name in rates),
        alt.Tooltip("x:Q", title=scatter.x.name, format=".4~g"),
        alt.Tooltip("y:Q", title=scatter.y.name, format=".4~g"),
    ]
    chart = (
        alt.Chart(table.drop(columns="configuration").assign(x=table["x"].map(rounded), y=table["y"].map(rounded)))
        .transform_filter("datum.round == after && indexof(hidden, datum.algorithm) < 0")
        .mark_point(filled=True, size=80, opacity=0.8)
        .encode(
            x=alt.X("x:Q", title=scatter.x.name).scale(zero=False, nice=True),
            y=alt.Y("y:Q", title=scatter.y.name).scale(zero=False, nice=True),
            color=colour(colours),
            tooltip=tooltip,
        )
        .add_params(alt.param(name="after", value=last), alt.param(name="hidden", value=[]))
    )
    return dressed(chart)
