"""The scores of a sweep over two or more hyper-parameters as a heat map."""

from __future__ import annotations

import math
from collections.abc import Iterable

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.colors import LogNorm, Normalize

from fedatlas.formatting import hyperparameter_name, number
from fedatlas.report.drawing.axis_scales import spans_decades
from fedatlas.report.drawing.theme import SELECTED, Theme
from fedatlas.results.run import Run

AS_READABLE = 0.2  # the luminance on which dark letters have as much contrast as light ones
ROOM = 28  # letters of the labels below a heat map, from where every second one is left out
WIDE = 20.0  # the greatest score over the least, from where linear colours tell only the worst ones apart


def draw_heat(axis: plt.Axes, run: Run, norm: Normalize, theme: Theme, lowest: bool) -> None:
    """A cell for each configuration: the last hyper-parameter to the right, the combinations of the others upwards.

    `lowest` is whether low scores are better.
    """
    *vertical, horizontal = run.varied
    grid = pd.DataFrame(run.grid).assign(score=run.scores)
    table = grid.pivot(index=vertical, columns=horizontal, values="score").sort_index(ascending=False)
    scores = np.ma.masked_invalid(table.to_numpy(float))
    cmap = sns.color_palette("mako_r" if lowest else "mako", as_cmap=True)
    axis.pcolormesh(scores, cmap=cmap, norm=norm, edgecolors=theme.ground, linewidth=0.6)
    for row, column in np.argwhere(~np.ma.getmaskarray(scores)):
        light = sns.utils.relative_luminance(cmap(norm(scores[row, column]))) > AS_READABLE
        where = {"ha": "center", "va": "center", "fontsize": 6.5, "color": "#262626" if light else "#f5f5f5"}
        axis.text(column + 0.5, row + 0.5, cell(scores[row, column]), **where)
    labels = [tick(value) for value in table.columns]
    shown = slice(None, None, 1 if sum(map(len, labels)) <= ROOM else 2)
    axis.set_xticks(np.arange(table.shape[1])[shown] + 0.5, labels[shown])
    axis.set_yticks(np.arange(table.shape[0]) + 0.5, [_row_label(value) for value in table.index])
    axis.invert_yaxis()
    axis.tick_params(length=0, labelsize=7)
    axis.spines[:].set_visible(False)
    axis.grid(False)
    axis.set(xlabel=hyperparameter_name(horizontal), ylabel=", ".join(map(hyperparameter_name, vertical)))
    for row, column in np.argwhere(table.isna().to_numpy()):
        axis.add_patch(plt.Rectangle((column, row), 1, 1, fill=False, hatch="////", edgecolor=theme.faint, linewidth=0))
    chosen = grid.loc[run.selected]
    row = tuple(chosen[name] for name in vertical) if len(vertical) > 1 else chosen[vertical[0]]
    place = (list(table.columns).index(chosen[horizontal]), list(table.index).index(row))
    axis.add_patch(plt.Rectangle(place, 1, 1, fill=False, edgecolor=SELECTED, linewidth=2, clip_on=False, zorder=5))


def _row_label(value: float | tuple[float, ...]) -> str:
    return ", ".join(map(tick, value)) if isinstance(value, tuple) else tick(value)


def tick(value: float) -> str:
    """A hyper-parameter in the space beside a cell: '0.0316', '0.001', '1e−4'."""
    return _short(value) if 0 < value < 1e-3 and value == float(f"{value:.0e}") else number(value)


def shared_norm(runs: Iterable[Run]) -> Normalize:
    """Of the scores by one rule of all runs, so that their colours compare: from zero to the greatest for fractions,
    logarithmic for wide ranges, else from the least to the greatest."""
    scores = pd.concat([run.scores for run in runs])
    least, greatest = scores.min(), scores.max()
    if least >= 0 and greatest <= 1:
        return Normalize(0, greatest)
    return (LogNorm if spans_decades(scores, WIDE) else Normalize)(least, greatest)


def cell(score: float) -> str:
    """A score in the space of a cell: '.97', '1', '3.1', '310', '2e5'."""
    if math.isnan(score):
        return ""
    if 0 <= score < 0.995:
        return f"{score:.2f}".removeprefix("0") if score >= 0.0095 or score == 0 else _short(score)
    return number(round(score, 1 if abs(score) < 9.95 else 0)) if abs(score) < 999.5 else _short(score)


def _short(score: float) -> str:
    """'2e5', '3e-4'."""
    mantissa, exponent = f"{score:.0e}".split("e")
    return f"{mantissa}e{int(exponent)}".replace("-", "−")
