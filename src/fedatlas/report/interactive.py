"""The interactive view of a figure: read a value by pointing at it, hide an algorithm, choose value and axis."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd
import vl_convert

from fedatlas.claims.evidence import Evidence
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
        "choices": [("value", "metric", metrics), ("against", "axis", AXES)],
        "algorithms": legend(names),
    }


def legend(names: dict[str, str]) -> list[dict[str, str]]:
    """What the page's buttons need to know of the algorithms."""
    return [{"id": algorithm, "name": name} for algorithm, name in names.items()]


def _metrics(evidence: Evidence, key: str) -> list[tuple[str, str]]:
    """(column, words) of every metric that all runs hold, the one that selects first."""
    tables = [run.table for by_seed in evidence.runs[key].values() for run in by_seed.values()]
    held = [set(t.loc[t["client"] == -1, ["split", "metric"]].itertuples(index=False, name=None)) for t in tables]
    rule = evidence.experiments[key].select
    shared = sorted(set.intersection(*held) - {pair for pair in held[0] if pair[0] == "cost"})
    shared.sort(key=lambda pair: (pair != (rule.split, rule.metric), pair[0] != "model"))
    return [(f"{split}_{metric}", metric_name(metric, split)) for split, metric in shared]


def _rows(run: Run, metrics: list[tuple[str, str]]) -> pd.DataFrame:
    chosen = (run.table["client"] == -1) & (run.table["configuration"] == run.manifest["selected"]["configuration"])
    rows = run.table[chosen].assign(name=lambda rows: rows["split"] + "_" + rows["metric"])
    table = rows.pivot(index="round", columns="name", values="value")
    table["megabytes"] = (table["cost_bytes_down"] + table["cost_bytes_up"]) / 1e6
    table = table.rename(columns={"cost_gradient_evaluations": "gradients", "cost_seconds": "seconds"})
    columns = [*(name for name, _ in metrics), "megabytes", "gradients", "seconds"]
    return table[columns].map(rounded).reset_index()


def rounded(value: float) -> float:
    """To the digits that a page keeps."""
    return float(f"{value:.{DIGITS}g}")


def colours(names: dict[str, str]) -> alt.Color:
    """The algorithms' colours, which follow the page's theme; its buttons are the legend."""
    return alt.Color("algorithm:N", legend=None).scale(
        domain=list(names.values()), range=[f"var(--algorithm-{algorithm})" for algorithm in names]
    )


def dressed(chart: alt.LayerChart | alt.Chart) -> alt.LayerChart | alt.Chart:
    """The chart in the page's ink and as wide as the page."""
    return chart.properties(width="container", height=330).configure(background="transparent").configure_view(
        stroke=None
    ).configure_axis(
        labelColor="currentColor", domainColor="currentColor", tickColor="currentColor", gridColor="currentColor",
        titleColor="currentColor", gridOpacity=0.15, domainOpacity=0.5, labelFont="inherit", labelFontSize=12,
    )  # fmt: skip


def _chart(rows: pd.DataFrame, names: dict[str, str], metric: str) -> alt.LayerChart:
    axis, shown, hidden = (
        alt.param(name=name, value=value) for name, value in (("axis", "round"), ("metric", metric), ("hidden", []))
    )
    base = (
        alt.Chart(rows)
        .transform_calculate(x="datum[axis]", y="datum[metric]")
        .transform_filter("indexof(hidden, datum.algorithm) < 0 && isValid(datum.y)")
        .transform_filter("axis != 'megabytes' || datum.megabytes > 0")
        .encode(
            x=alt.X("x:Q", title=None).axis(grid=False, tickCount=8),
            y=alt.Y("y:Q", title=None).axis(tickCount=6).scale(zero=False),
            color=colours(names),
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
    chart = alt.layer(base.mark_line(strokeWidth=1.8), points.add_params(near))
    return dressed(chart.add_params(axis, shown, hidden))
