"""Curves: one panel per metric, one colour per algorithm, the selected configuration of each."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from fedatlas.formatting import listed, metric_name, number, ranges
from fedatlas.lazy import alt
from fedatlas.report.drawing import vega
from fedatlas.report.drawing.axis_scales import is_fraction, is_log, set_log
from fedatlas.report.drawing.legend import LegendEntry
from fedatlas.report.drawing.overlaps import tell_apart
from fedatlas.report.drawing.theme import Theme
from fedatlas.report.model.figure import Figure, Panel
from fedatlas.report.theory.reference_rates import ReferenceRate, reference_rates
from fedatlas.report.views._base import Explorer
from fedatlas.report.views._panels import PanelView
from fedatlas.results.axes import AXES, Axis
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.run import Run

LEVEL = (0, (5, 3))  # dashes of baselines
RATES = {"linear_rate": (0, (2, 2)), "inverse_square": (0, (4, 1.5, 1, 1.5))}
EARLY, MARGIN = 0.25, 0.06  # the share of the rounds that an axis may leave out; its room, as a share of its span


class Curves(PanelView):
    """Metrics over the rounds, or against what was spent."""

    def panel_table(self, results: ExperimentResults, figure: Figure, panel: Panel) -> pd.DataFrame:
        return _of_panel(results, panel).curves(panel, figure.against)

    def entries(self, results: ExperimentResults, figure: Figure, panel: Panel, theme: Theme) -> list[LegendEntry]:
        shown, rates = _of_panel(results, panel), _rates(results, figure, panel)
        runs, levels = shown.federated, shown.baselines
        return [
            *(LegendEntry(name, theme.readable(runs.colours[id])) for id, name in runs.names.items()),
            *(
                LegendEntry(f"{name}, where it ends", theme.readable(levels.colours[id]), LEVEL)
                for id, name in levels.names.items()
            ),
            *([LegendEntry("truth", theme.faint, ":")] if figure.truth else []),
            *(LegendEntry(rate.name, theme.faint, RATES[rate.kind]) for rate in rates),
        ]

    def draw_panel(
        self, axis: plt.Axes, results: ExperimentResults, figure: Figure, panel: Panel, theme: Theme
    ) -> None:
        """With several seeds the line is their mean, the band spans them all and every seed is drawn thin.

        On a logarithmic axis it is the geometric mean, which one seed of many digits more does not carry away.
        Seeds that select are left out where an algorithm has others, as in the table of last values. A seed with which
        an algorithm diverges is left out where it has others; the caption says so. A line that lies on another one is
        dashed. Baselines that do not communicate appear as the dashed level at which they end, the ground truth as a
        dotted one, rates of the theory as grey dashes.
        """
        shown = _of_panel(results, panel).without_lost(panel)
        lines, ends = _drawn(shown, figure, panel)
        palette = {name: theme.readable(colour) for name, colour in shown.colours.items()}
        logarithmic = is_log([*lines["value"], *ends.values()], panel)
        means = _lines(axis, lines, palette, logarithmic)
        for name, end in ends.items():
            axis.axhline(end, color=palette[name], linestyle=LEVEL, linewidth=1.1)
        if panel.metric in figure.truth:
            axis.axhline(figure.truth[panel.metric], color=theme.faint, linestyle=":", linewidth=1.3)
        if logarithmic:
            set_log(axis)
        _draw_rates(axis, _rates(results, figure, panel), theme)
        _label(axis, panel, figure.against)
        if panel.near:
            axis.set_ylim(_late(lines, ends.values()))
        tell_apart(axis, means)

    def alt(self, results: ExperimentResults, figure: Figure) -> str:
        first = figure.panels[0]
        runs = _of_panel(results, first).federated.without_lost(first)
        ends = [f"{name} {number(runs.last(id, first))}" for id, name in runs.names.items()]
        over = "over the rounds" if figure.against == "rounds" else f"against {AXES[figure.against].title}"
        panels = listed(panel.name for panel in figure.measures)
        return f"Curves of {panels} {over}. {first.name} at the last round: {', '.join(ends)}."

    def caption(self, results: ExperimentResults, figure: Figure) -> str:
        words = "Each algorithm with its best configuration of the sweep"
        if len(results.seeds) > 1:
            words += f"; lines are means over the seeds{_of_which(results)}{_geometric(results, figure)}, "
            words += "bands span them, thin lines are single seeds"
        if results.baselines.runs:
            words += "; dashed levels show where baselines end, whose rounds are epochs"
        words += _left_out(results, figure)
        if rates := reference_rates(results, figure, figure.against):
            starts = listed(dict.fromkeys(rate.run.name for rate in rates))
            words += f"; grey dashes are rates of the theory, from where {starts} starts: only slopes compare"
        return f"{words}."

    def chart(self, results: ExperimentResults, figure: Figure) -> Explorer:
        """Every metric that was recorded, against every axis; opens with the figure's first panel."""
        results = results.only_scored.without_lost(figure.panels[0])
        results = results.federated if results.federated.runs else results  # epochs are no rounds
        metrics, axes = _metrics(results, figure), _axes(results, figure)
        rows = [_rows(run, [*metrics], axes).assign(algorithm=run.name, seed=run.manifest.seed) for run in results.all]
        rates = reference_rates(results, figure, "rounds")
        rows += [_rate_rows(rate, [*metrics], axes, figure) for rate in rates]
        colours = {results.names[id]: vega.style_colour(colour) for id, colour in results.colours.items()}
        colours |= {rate.name: "var(--soft)" for rate in rates}
        first = figure.panels[0]
        scale = "log" if is_log(results.curves(first)["value"], first) else "linear"
        start = {"metric": next(iter(metrics)), "axis": axes[0], "scale": scale}
        choices = [
            ("value", "metric", [*metrics.items()]),
            ("against", "axis", [(axis, AXES[axis].title) for axis in axes]),
            vega.scale_choice(scale),
        ]
        chart = _chart(pd.concat(rows, ignore_index=True), axes, colours, start)
        titles = vega.Title("axis", {axis: AXES[axis].title for axis in axes}), vega.Title("metric", metrics)
        return vega.explorer(chart, choices, colours, *titles)


def _of_panel(results: ExperimentResults, panel: Panel) -> ExperimentResults:
    """The algorithms that a panel shows, on the seeds that count."""
    return results.only(lambda name: not panel.algorithms or name in panel.algorithms).holding(panel).only_scored


def _of_which(results: ExperimentResults) -> str:
    """Words behind 'the seeds', where some of them only select."""
    return " that did not select it" if len(results.only_scored.all) < len(results.all) else ""


def _geometric(results: ExperimentResults, figure: Figure) -> str:
    """Words behind them, where a panel's axis is logarithmic."""
    drawn = ((panel, *_drawn(_of_panel(results, panel).without_lost(panel), figure, panel)) for panel in figure.panels)
    found = any(is_log([*lines["value"], *ends.values()], panel) for panel, lines, ends in drawn)
    return " (geometric ones on logarithmic axes)" if found else ""


def _drawn(shown: ExperimentResults, figure: Figure, panel: Panel) -> tuple[pd.DataFrame, dict[str, float]]:
    """The curves of a panel, and the levels at which baselines end, by algorithm."""
    levels = shown.baselines
    return shown.federated.curves(panel, figure.against), {name: levels.last(name, panel) for name in levels.runs}


def _left_out(results: ExperimentResults, figure: Figure) -> str:
    """Which seeds the picture does not show, as a part of a sentence."""
    lost = {
        (shown.names[name], ranges(seeds)): len(seeds)
        for panel in figure.panels
        for shown in [_of_panel(results, panel)]
        for name, seeds in shown.lost(panel).items()
    }
    parts = [
        f"; {name} is drawn without {'seed' if count == 1 else 'seeds'} {seeds}, with which it diverges"
        for (name, seeds), count in lost.items()
    ]
    return "".join(parts)


def _rates(results: ExperimentResults, figure: Figure, panel: Panel) -> list[ReferenceRate]:
    return reference_rates(results, figure, figure.against) if panel is figure.panels[0] else []


def _lines(axis: plt.Axes, data: pd.DataFrame, palette: Mapping[str, str], logarithmic: bool) -> list[plt.Line2D]:
    """Draws what `draw_panel` says of each algorithm; returns the means."""
    means = []
    for algorithm, rows in data.groupby("algorithm", sort=False):
        by_seed, colour = rows.pivot(index="round", columns="seed", values="value"), palette[algorithm]
        places = rows.pivot(index="round", columns="seed", values="x")
        x = places.mean(axis=1)
        if by_seed.shape[1] > 1:
            least, greatest = by_seed.min(axis=1), by_seed.max(axis=1)
            axis.fill_between(x, least, greatest, color=colour, alpha=0.2, linewidth=0)
            axis.plot(places, by_seed, color=colour, linewidth=0.5, alpha=0.5)
        means += axis.plot(x, _mean(by_seed, logarithmic), color=colour, linewidth=1.9)
    return means


def _mean(by_seed: pd.DataFrame, logarithmic: bool) -> pd.Series:
    """By round; geometric if `logarithmic`, where all values are positive."""
    mean = by_seed.mean(axis=1, skipna=False)
    positive = (by_seed > 0).all(axis=1)
    if logarithmic:
        mean[positive] = np.exp(np.log(by_seed[positive]).mean(axis=1))
    return mean


def _draw_rates(axis: plt.Axes, rates: Collection[ReferenceRate], theme: Theme) -> None:
    """The rates, cut where they leave the range of what was measured."""
    low, high = axis.get_ylim()
    for rate in rates:
        dash = RATES[rate.kind]
        axis.plot(rate.curve["x"], rate.curve["value"], color=theme.faint, linestyle=dash, linewidth=1.2, zorder=1.5)
    axis.set_ylim(low, high)


def _label(axis: plt.Axes, panel: Panel, against: Axis) -> None:
    axis.set(title=panel.heading, xlabel=AXES[against].title, ylabel="")
    axis.margins(x=0.01)
    if is_fraction(panel) and not panel.near and axis.get_ylim()[1] > 0.6:  # show its whole range
        axis.set_ylim(-0.02, 1.04)


def _late(lines: pd.DataFrame, levels: Collection[float]) -> tuple[float | None, float | None]:
    """The limits that show the curves after the first quarter of the rounds; of a single curve all of it."""
    if lines["algorithm"].nunique() + len(levels) < 2:
        return None, None
    values = pd.Series([*lines[lines["round"] >= EARLY * lines["round"].max()]["value"], *levels], dtype=float)
    least, greatest = values.min(), values.max()
    room = MARGIN * (greatest - least)
    return (least - room, greatest + room) if room > 0 else (None, None)


def _metrics(results: ExperimentResults, figure: Figure) -> dict[str, str]:
    """Words by column of every metric that a run holds: the figure's first, then the one that selects, then others."""
    held = {pair for run in results.all for pair in run.metrics if pair[0] != "cost"}
    rule = results.experiment.select
    order = [*((panel.split, panel.metric) for panel in figure.panels), (rule.split, rule.metric)]
    ranked = sorted(held, key=lambda pair: (order.index(pair) if pair in order else len(order), pair))
    return {f"{split}_{metric}": metric_name(metric, split) for split, metric in ranked}


def _axes(results: ExperimentResults, figure: Figure) -> list[Axis]:
    """The axes that every run can be drawn against, the figure's first.

    Seconds are of all configurations of a run together, so only runs with as many of them compare.
    """
    runs = results.all
    held = [axis for axis, about in AXES.items() if all(run.holds(c, "cost") for run in runs for c in about.costs)]
    if len({len(run.grid) if run.is_sweep else 1 for run in runs}) > 1:
        held.remove("seconds")
    return sorted(held, key=lambda axis: axis != figure.against)


def _rows(run: Run, metrics: list[str], axes: list[Axis]) -> pd.DataFrame:
    """A row for each round of the selected configuration, a column for each metric and axis."""
    found = run.by_round()
    costly = {axis: AXES[axis] for axis in axes if AXES[axis].costs}
    costs = {axis: sum(found[f"cost_{cost}"] for cost in of.costs) * of.factor for axis, of in costly.items()}
    table = found.reindex(columns=metrics).assign(**costs)
    return table.map(vega.rounded).rename_axis("rounds").reset_index()


def _rate_rows(rate: ReferenceRate, metrics: list[str], axes: list[Axis], figure: Figure) -> pd.DataFrame:
    """The same of a rate, which has a value of the figure's first metric alone; it costs what its run costs."""
    costs = _rows(rate.run, [], axes).set_index("rounds")
    values = rate.curve.set_index("round")["value"].map(vega.rounded)
    panel = figure.panels[0]
    table = costs.loc[costs.index.isin(values.index)].assign(**{f"{panel.split}_{panel.metric}": values})
    table = table.reindex(columns=[*metrics, *costs.columns]).reset_index()
    return table.assign(algorithm=rate.name, seed=-1, theory=True)


def _chart(rows: pd.DataFrame, axes: list[Axis], colours: Mapping[str, str], start: Mapping) -> alt.LayerChart:
    """Values are drawn as they are or as their decimal logarithm, since a scale cannot be changed afterwards."""
    base = (
        alt.Chart(rows)
        .transform_calculate(x="datum[axis]", value="datum[metric]", y=vega.SCALED)
        .transform_filter("indexof(hidden, datum.algorithm) < 0 && isValid(datum.value) && isFinite(datum.y)")
        .transform_filter("axis != 'bytes' || datum.bytes > 0")
        .encode(
            x=alt.X("x:Q", title=None).axis(grid=False, tickCount=8),
            y=vega.y_axis(),
            color=vega.colour(colours),
            detail="seed:N",
        )
    )
    lines = base.mark_line(strokeWidth=1.8)
    if "theory" in rows:
        rows["theory"] = rows["theory"].eq(True)
        lines = lines.encode(
            strokeDash=alt.StrokeDash("theory:N", legend=None).scale(domain=[False, True], range=vega.DASHES)
        )
    tooltip = [
        alt.Tooltip("algorithm:N"), alt.Tooltip("seed:N"), alt.Tooltip("value:Q", format=".4~g"),
        *(alt.Tooltip(f"{axis}:Q", title=AXES[axis].title, format=",.4~g") for axis in axes),
    ]  # fmt: skip
    return alt.layer(lines, vega.points(base, tooltip)).add_params(*vega.parameters(start))
