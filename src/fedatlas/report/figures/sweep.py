"""The sweep: for every algorithm the score of each configuration, and every configuration's curve."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd

from fedatlas.claims.evidence import Evidence
from fedatlas.claims.quantities import Metric
from fedatlas.claims.words import hyperparameter_name, metric_name
from fedatlas.experiments.results import Run, curves
from fedatlas.report import frames
from fedatlas.report.figures import scales
from fedatlas.report.figures.heat import draw_heat, shared_norm
from fedatlas.report.figures.theme import Theme


def swept(evidence: Evidence, key: str) -> frames.Runs:
    """The algorithms that were trained with more than one configuration, those that communicate first."""
    runs = {**frames.federated(evidence, key), **frames.baselines(evidence, key)}
    return {name: by_seed for name, by_seed in runs.items() if varied(frames.sweep_run(by_seed))}


def varied(run: Run) -> list[str]:
    """The hyper-parameters of which the sweep tries more than one value."""
    grid = pd.DataFrame(run.manifest["configurations"])
    return [name for name in grid if grid[name].nunique() > 1]


def draw(evidence: Evidence, key: str, theme: Theme, columns: int) -> plt.Figure:
    """A heat map (or a line, where one hyper-parameter varies) above all curves of each algorithm.

    Lighter is better, hatched cells diverged, the outlined one is selected and is the bold curve below. Call inside
    `theme.style`.
    """
    runs = swept(evidence, key)
    names, colours = frames.names(runs), frames.colours(runs)
    norm = shared_norm(map(frames.sweep_run, runs.values()))
    columns = min(columns, max(2, len(runs)))
    rows = -(-len(runs) // columns)
    canvas = plt.figure(figsize=(columns * 2.45, rows * 4.6))
    grid = canvas.add_gridspec(2 * rows, columns, height_ratios=[1.25, 1] * rows)
    for place, (algorithm, by_seed) in enumerate(runs.items()):
        row, column = divmod(place, columns)
        run, colour = frames.sweep_run(by_seed), theme.readable(colours[algorithm])
        above = canvas.add_subplot(grid[2 * row, column])
        if len(axes := varied(run)) == 1:
            _profile(above, run, axes[0], colour, first=column == 0)
        else:
            draw_heat(above, run, axes, norm, theme, first=column == 0)
        above.set_title(names[algorithm], color=colour)
        _curves(canvas.add_subplot(grid[2 * row + 1, column]), run, colour, first=column == 0)
    canvas.set_layout_engine("constrained")  # only now: seaborn draws the canvas for every heat map
    return canvas


def _profile(axis: plt.Axes, run: Run, name: str, colour: str, first: bool) -> None:
    """The score against the one hyper-parameter that varies."""
    values = pd.DataFrame(run.manifest["configurations"])[name]
    scores, chosen = frames.sweep_scores(run).reindex(values.index), run.manifest["selected"]["configuration"]
    order = values.sort_values().index
    axis.plot(values[order], scores[order], color=colour, marker="o", markersize=3.5, linewidth=1)
    axis.plot(values[chosen], scores[chosen], "s", markersize=9, markerfacecolor="none", markeredgecolor="#ff8a00")
    if scales.spans_decades(scores):
        axis.set_yscale("log")
    if values.min() > 0:
        axis.set_xscale("log")
    axis.set(xlabel=hyperparameter_name(name), ylabel=_score_name(run) if first else "")
    axis.tick_params(labelsize=7.5)


def _curves(axis: plt.Axes, run: Run, colour: str, first: bool) -> None:
    rule = run.manifest["spec"]["select"]
    rows = curves(run.table, rule["metric"], rule["split"])
    chosen = run.manifest["selected"]["configuration"]
    for configuration, values in rows.groupby("configuration"):
        bold = configuration == chosen
        axis.plot(
            values["round"], values["value"], color=colour, linewidth=2 if bold else 0.7, alpha=1 if bold else 0.45
        )
    axis.set(xlabel="round", ylabel=_score_name(run) if first else "")
    axis.tick_params(labelsize=7.5)
    axis.margins(x=0.01)
    if scales.is_fraction(Metric(metric=rule["metric"], split=rule["split"])):
        axis.set_ylim(-0.02, 1.04)
    elif scales.spans_decades(rows["value"]):
        axis.set_yscale("log")


def _score_name(run: Run) -> str:
    rule = run.manifest["spec"]["select"]
    return metric_name(rule["metric"], rule["split"])
