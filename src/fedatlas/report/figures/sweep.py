"""The sweep: for every algorithm the score of each configuration, and every configuration's curve."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from fedatlas.claims.evidence import Evidence
from fedatlas.claims.words import hyperparameter_name, metric_name, number
from fedatlas.experiments.results import Run, curves
from fedatlas.report import frames
from fedatlas.report.figures.theme import Theme


def swept(evidence: Evidence, key: str) -> frames.Runs:
    """The algorithms whose sweep is a plane of two hyper-parameters, which a heat map can show."""
    runs = frames.federated(evidence, key)
    return {name: by_seed for name, by_seed in runs.items() if len(_axes(frames.sweep_run(by_seed))) == 2}


def draw(evidence: Evidence, key: str, theme: Theme, columns: int) -> plt.Figure:
    """A heat map above all curves for each algorithm; call inside `theme.style`.

    Lighter is higher, hatched cells diverged, the outlined one is selected and is the bold curve below.
    """
    runs = swept(evidence, key)
    names, colours = frames.names(runs), frames.colours(runs)
    rows = -(-len(runs) // columns)
    canvas = plt.figure(figsize=(columns * 2.45, rows * 4.6))
    grid = canvas.add_gridspec(2 * rows, columns, height_ratios=[1.25, 1] * rows)
    for place, (algorithm, by_seed) in enumerate(runs.items()):
        row, column = divmod(place, columns)
        run = frames.sweep_run(by_seed)
        above = canvas.add_subplot(grid[2 * row, column])
        _heat(above, run, theme, first=column == 0)
        above.set_title(names[algorithm], color=theme.readable(colours[algorithm]))
        below = canvas.add_subplot(grid[2 * row + 1, column])
        _curves(below, run, theme.readable(colours[algorithm]), first=column == 0)
    canvas.set_layout_engine("constrained")  # only now: seaborn draws the canvas for every heat map
    return canvas


def _axes(run: Run) -> list[str]:
    return list(run.manifest["configurations"][0])


def _heat(axis: plt.Axes, run: Run, theme: Theme, first: bool) -> None:
    vertical, horizontal = _axes(run)
    grid = pd.DataFrame(run.manifest["configurations"]).assign(score=frames.sweep_scores(run))
    table = grid.pivot(index=vertical, columns=horizontal, values="score").sort_index(ascending=False)
    colours = sns.color_palette("mako", as_cmap=True)
    bounded = table.max().max() <= 1 and table.min().min() >= 0
    sns.heatmap(
        table, ax=axis, cmap=colours, cbar=False, square=True, annot=table.map(_cell), fmt="", annot_kws={"size": 6.5},
        vmin=0 if bounded else None, vmax=1 if bounded else None, linewidths=0.6, linecolor=theme.ground,
        xticklabels=[number(value) for value in table.columns], yticklabels=[number(value) for value in table.index],
    )  # fmt: skip
    axis.grid(False)
    axis.set(xlabel=hyperparameter_name(horizontal), ylabel=hyperparameter_name(vertical) if first else "")
    axis.tick_params(length=0, labelsize=7.5)
    axis.tick_params(axis="x", rotation=0)
    axis.tick_params(axis="y", rotation=0)
    for row, column in np.argwhere(table.isna().to_numpy()):
        axis.add_patch(plt.Rectangle((column, row), 1, 1, fill=False, hatch="////", edgecolor=theme.faint, linewidth=0))
    chosen = run.manifest["configurations"][run.manifest["selected"]["configuration"]]
    place = (list(table.columns).index(chosen[horizontal]), list(table.index).index(chosen[vertical]))
    axis.add_patch(plt.Rectangle(place, 1, 1, fill=False, edgecolor="#ff8a00", linewidth=2, clip_on=False, zorder=5))


def _curves(axis: plt.Axes, run: Run, colour: str, first: bool) -> None:
    rule = run.manifest["spec"]["select"]
    rows = curves(run.table, rule["metric"], rule["split"])
    chosen = run.manifest["selected"]["configuration"]
    for configuration, values in rows.groupby("configuration"):
        bold = configuration == chosen
        axis.plot(
            values["round"], values["value"], color=colour, linewidth=2 if bold else 0.7, alpha=1 if bold else 0.45
        )
    axis.set(xlabel="round", ylabel=metric_name(rule["metric"], rule["split"]) if first else "")
    axis.tick_params(labelsize=7.5)
    axis.margins(x=0.01)
    if rows["value"].min() >= 0 and rows["value"].max() <= 1:
        axis.set_ylim(-0.02, 1.04)


def _cell(score: float) -> str:
    if math.isnan(score):
        return ""
    return f"{score:.2f}".removeprefix("0") if 0 <= score < 0.995 else number(round(score, 2))
