"""The interactive view of a figure: read a value by pointing at it, hide an algorithm, choose value and axis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import pandas as pd
import vl_convert

from fedatlas.claims.evidence import Evidence
from fedatlas.claims.words import metric_name
from fedatlas.experiments.results import Run
from fedatlas.report import frames
from fedatlas.report.figures.scales import is_log
from fedatlas.report.guides import Drawn, guides
from fedatlas.report.papers import Figure

AXES = {  # by column: what a figure calls it, and the words of its button
    "round": ("rounds", "rounds"),
    "communications": ("communications", "communications"),
    "megabytes": ("bytes", "megabytes sent"),
    "gradients": ("gradients", "gradient evaluations"),
    "seconds": ("seconds", "seconds"),
}
SCALES = {"linear": "linear", "log": "logarithmic"}
COSTS = {"gradients": "gradient_evaluations", "seconds": "seconds", "communications": "communications"}
DIGITS = 5  # significant ones in the page
LABEL = "scale == 'log' ? format(pow(10, datum.value), '.1~e') : datum.label"
DASHES = [[1, 0], [4, 4]]  # of what was measured, and of rates of the theory


def bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script that needs no network."""
    return vl_convert.javascript_bundle()


def explorer(evidence: Evidence, key: str, figure: Figure | None = None) -> dict[str, Any]:
    """What the page's script needs: the chart, and the choices that its buttons offer.

    It opens with the figure's first panel and axis if there is a figure, else with the metric that selects.
    """
    runs = {**frames.federated(evidence, key), **frames.baselines(evidence, key)}
    names, metrics = frames.names(runs), _metrics(evidence, key, figure)
    axes = _axes(runs, figure)
    rows = [
        _rows(run, [*metrics], axes).assign(algorithm=names[algorithm], seed=seed)
        for algorithm, by_seed in runs.items()
        for seed, run in by_seed.items()
    ]
    rates = guides(evidence, key, figure, "rounds") if figure else []
    rows += [_guide_rows(guide, [*metrics], axes, figure) for guide in rates]
    colours = {name: frames.style_colour(frames.colours(runs)[algorithm]) for algorithm, name in names.items()}
    colours |= {guide.name: "var(--soft)" for guide in rates}
    start = {"metric": next(iter(metrics)), "axis": axes[0]}
    scale = _scale(runs, figure)
    return {
        "spec": _chart(pd.concat(rows, ignore_index=True), axes, colours, start | {"scale": scale}).to_dict(),
        "choices": [
            ("value", "metric", [*metrics.items()]),
            ("against", "axis", [(axis, AXES[axis][1]) for axis in axes]),
            ("scale", "scale", sorted(SCALES.items(), key=lambda pair: pair[0] != scale)),
        ],
        "algorithms": legend(colours),
    }


def legend(colours: Mapping[str, str]) -> list[dict[str, str]]:
    """What the page's buttons need to know of the algorithms, whose colours these are by name."""
    return [{"name": name, "colour": colour} for name, colour in colours.items()]


def _metrics(evidence: Evidence, key: str, figure: Figure | None) -> dict[str, str]:
    """Words by column of every metric that a run holds: the figure's first, then the one that selects, then others."""
    tables = [run.table for by_seed in evidence.runs[key].values() for run in by_seed.values()]
    pairs = [t.loc[t["client"] == -1, ["split", "metric"]].itertuples(index=False, name=None) for t in tables]
    held = {pair for own in pairs for pair in own if pair[0] != "cost"}
    rule = evidence.experiments[key].select
    first = [(panel.split, panel.metric) for panel in figure.panels[:1]] if figure else []
    order = [*first, (rule.split, rule.metric)]
    ranked = sorted(held, key=lambda pair: (order.index(pair) if pair in order else 9, pair[0] != "model", pair))
    return {f"{split}_{metric}": metric_name(metric, split) for split, metric in ranked}


def _axes(runs: frames.Runs, figure: Figure | None) -> list[str]:
    """The axes that every run can be drawn against, the figure's first."""
    tables = [run.table for by_seed in runs.values() for run in by_seed.values()]
    known = all((table["metric"] == "communications").any() for table in tables)
    axes = [axis for axis in AXES if known or axis != "communications"]
    return sorted(axes, key=lambda axis: figure is None or AXES[axis][0] != figure.against)


def _scale(runs: frames.Runs, figure: Figure | None) -> str:
    if not (figure and figure.panels):
        return "linear"
    panel = figure.panels[0]
    return "log" if is_log(frames.best_curves(runs, panel)["value"], panel) else "linear"


def _rows(run: Run, metrics: list[str], axes: list[str]) -> pd.DataFrame:
    """A row for each round of the selected configuration, a column for each metric and axis."""
    chosen = (run.table["client"] == -1) & (run.table["configuration"] == run.manifest["selected"]["configuration"])
    rows = run.table[chosen].assign(name=lambda rows: rows["split"] + "_" + rows["metric"])
    table = rows.pivot(index="round", columns="name", values="value")
    table["megabytes"] = (table["cost_bytes_down"] + table["cost_bytes_up"]) / 1e6
    table = table.rename(columns={f"cost_{cost}": column for column, cost in COSTS.items()})
    columns = [*metrics, *(axis for axis in axes if axis != "round")]
    return table.reindex(columns=columns).map(rounded).reset_index()


def _guide_rows(guide: Drawn, metrics: list[str], axes: list[str], figure: Figure) -> pd.DataFrame:
    """The same of a rate, which has a value of the figure's first metric alone; it costs what its run costs."""
    panel = figure.panels[0]
    costs = _rows(guide.run, [], axes)
    column = f"{panel.split}_{panel.metric}"
    values = guide.curve.set_index("round")["value"].map(rounded)
    table = costs[costs["round"].isin(values.index)].set_index("round")
    table = table.assign(**{column: values}).reindex(columns=[*metrics, *costs.columns.drop("round")])
    return table.reset_index().assign(algorithm=guide.name, seed=-1, guide=True)


def rounded(value: float) -> float:
    """To the digits that a page keeps."""
    return float(f"{value:.{DIGITS}g}")


def colour(colours: Mapping[str, str]) -> alt.Color:
    """Colours by name, which follow the page's theme; its buttons are the legend."""
    return alt.Color("algorithm:N", legend=None).scale(domain=[*colours], range=[*colours.values()])


def dressed(chart: alt.LayerChart | alt.Chart) -> alt.LayerChart | alt.Chart:
    """The chart in the page's ink and as wide as the page."""
    return chart.properties(width="container", height=330).configure(background="transparent").configure_view(
        stroke=None
    ).configure_axis(
        labelColor="currentColor", domainColor="currentColor", tickColor="currentColor", gridColor="currentColor",
        titleColor="currentColor", gridOpacity=0.15, domainOpacity=0.5, labelFont="inherit", labelFontSize=12,
    )  # fmt: skip


def _chart(rows: pd.DataFrame, axes: list[str], colours: Mapping[str, str], start: Mapping[str, str]) -> alt.LayerChart:
    """Values are drawn as they are or as their decimal logarithm, since a scale cannot be changed afterwards."""
    if "guide" in rows:
        rows = rows.assign(guide=rows["guide"].eq(True))
    parameters = [alt.param(name=name, value=value) for name, value in {**start, "hidden": []}.items()]
    base = (
        alt.Chart(rows)
        .transform_calculate(x="datum[axis]", value="datum[metric]")
        .transform_calculate(y="scale == 'log' ? log(datum.value) / LN10 : datum.value")
        .transform_filter("indexof(hidden, datum.algorithm) < 0 && isValid(datum.value) && isFinite(datum.y)")
        .transform_filter("axis != 'megabytes' || datum.megabytes > 0")
        .encode(
            x=alt.X("x:Q", title=None).axis(grid=False, tickCount=8),
            y=alt.Y("y:Q", title=None).axis(tickCount=6, labelExpr=LABEL, minExtent=46).scale(zero=False),
            color=colour(colours),
            detail="seed:N",
        )
    )
    near = alt.selection_point(
        name="near", on="pointerover", nearest=True, fields=["round", "algorithm", "seed"], empty=False
    )
    tooltip = [
        alt.Tooltip("algorithm:N"), alt.Tooltip("value:Q", format=".4~g"), alt.Tooltip("round:Q"),
        *(alt.Tooltip(f"{axis}:Q", format=",.4~g") for axis in axes if axis != "round"), alt.Tooltip("seed:N"),
    ]  # fmt: skip
    lines = base.mark_line(strokeWidth=1.8)
    if "guide" in rows:
        lines = lines.encode(
            strokeDash=alt.StrokeDash("guide:N", legend=None).scale(domain=[False, True], range=DASHES)
        )
    points = base.mark_point(filled=True, size=70).encode(
        opacity=alt.when(near).then(alt.value(1)).otherwise(alt.value(0)), tooltip=tooltip
    )
    chart = alt.layer(lines, points.add_params(near))
    return dressed(chart.add_params(*parameters))
