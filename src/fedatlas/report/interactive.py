"""The interactive view of a figure: read a value by pointing at it, hide an algorithm, choose value and axis."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd
import vl_convert

from fedatlas.claims.evidence import Evidence, curve
from fedatlas.claims.words import metric_name
from fedatlas.experiments.results import Run
from fedatlas.report import frames

AXES = [
    ("round", "rounds"),
    ("megabytes", "megabytes sent"),
    ("gradients", "gradient evaluations"),
    ("seconds", "seconds"),
]
DIGITS = 5  # significant ones in the page


def bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script that needs no network."""
    return vl_convert.javascript_bundle()


def explorer(evidence: Evidence, key: str) -> dict[str, Any]:
    """What the page's script needs: the chart, and the choices that its buttons offer."""
    runs = {**frames.federated(evidence, key), **frames.baselines(evidence, key)}
    names = frames.names(runs)
    metrics = _metrics(evidence, key)
    rows = pd.concat(
        [
            _rows(run, metrics).assign(algorithm=names[algorithm], seed=seed)
            for algorithm, by_seed in runs.items()
            for seed, run in by_seed.items()
        ],
        ignore_index=True,
    )
    return {
        "spec": _chart(rows, names, metrics[0][0]).to_dict(),
        "axes": AXES,
        "metrics": metrics,
        "algorithms": [{"id": algorithm, "name": name} for algorithm, name in names.items()],
    }


def _metrics(evidence: Evidence, key: str) -> list[tuple[str, str]]:
    """(column, words) of every metric that all runs hold, the one that selects first."""
    tables = [run.table for by_seed in evidence.runs[key].values() for run in by_seed.values()]
    held = [set(t.loc[t["client"] == -1, ["split", "metric"]].itertuples(index=False, name=None)) for t in tables]
    rule = evidence.experiments[key].select
    shared = sorted(set.intersection(*held) - {pair for pair in held[0] if pair[0] == "cost"})
    shared.sort(key=lambda pair: (pair != (rule.split, rule.metric), pair[0] != "model"))
    return [(f"{split}_{metric}", metric_name(metric, split)) for split, metric in shared]


def _rows(run: Run, metrics: list[tuple[str, str]]) -> pd.DataFrame:
    columns = {name: curve(run, name.split("_", 1)[1], name.split("_", 1)[0]) for name, _ in metrics}
    cost = {
        metric: curve(run, metric, "cost") for metric in ("bytes_down", "bytes_up", "gradient_evaluations", "seconds")
    }
    columns |= {
        "megabytes": (cost["bytes_down"] + cost["bytes_up"]) / 1e6,
        "gradients": cost["gradient_evaluations"],
        "seconds": cost["seconds"],
    }
    table = pd.DataFrame(columns).map(lambda value: float(f"{value:.{DIGITS}g}"))
    return table.rename_axis("round").reset_index()


def _chart(rows: pd.DataFrame, names: dict[str, str], metric: str) -> alt.LayerChart:
    axis, shown, hidden = (
        alt.param(name=name, value=value) for name, value in (("axis", "round"), ("metric", metric), ("hidden", []))
    )
    colour = alt.Color("algorithm:N", legend=None).scale(
        domain=list(names.values()), range=[f"var(--algorithm-{algorithm})" for algorithm in names]
    )
    base = (
        alt.Chart(rows)
        .transform_calculate(x="datum[axis]", y="datum[metric]")
        .transform_filter("indexof(hidden, datum.algorithm) < 0 && isValid(datum.y)")
        .transform_filter("axis != 'megabytes' || datum.megabytes > 0")
        .encode(
            x=alt.X("x:Q", title=None).axis(grid=False, tickCount=8),
            y=alt.Y("y:Q", title=None).axis(tickCount=6).scale(zero=False),
            color=colour,
            detail="seed:N",
        )
    )
    near = alt.selection_point(
        name="near", on="pointerover", nearest=True, fields=["round", "algorithm", "seed"], empty=False
    )
    tooltip = [
        alt.Tooltip("algorithm:N"), alt.Tooltip("y:Q", title="value", format=".4~g"), alt.Tooltip("round:Q"),
        alt.Tooltip("megabytes:Q", format=",.4~g"), alt.Tooltip("gradients:Q", format=",.4~g"),
        alt.Tooltip("seconds:Q", format=",.4~g"), alt.Tooltip("seed:N"),
    ]  # fmt: skip
    points = base.mark_point(filled=True, size=70).encode(
        opacity=alt.when(near).then(alt.value(1)).otherwise(alt.value(0)), tooltip=tooltip
    )
    chart = alt.layer(base.mark_line(strokeWidth=1.8), points.add_params(near)).add_params(axis, shown, hidden)
    return chart.properties(width="container", height=330).configure(background="transparent").configure_view(
        stroke=None
    ).configure_axis(
        labelColor="currentColor", domainColor="currentColor", tickColor="currentColor", gridColor="currentColor",
        gridOpacity=0.15, domainOpacity=0.5, labelFont="inherit", labelFontSize=12,
    )  # fmt: skip
