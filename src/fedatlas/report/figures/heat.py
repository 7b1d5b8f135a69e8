"""The scores of a sweep over two or more hyper-parameters as a heat map."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.colors import LogNorm, Normalize

from fedatlas.claims.words import hyperparameter_name, number
from fedatlas.experiments.results import Run
from fedatlas.report import frames
from fedatlas.report.figures import scales
from fedatlas.report.figures.theme import Theme

WIDE = 20.0  # the greatest score over the least, from where linear colours tell only the worst ones apart


def draw_heat(axis: plt.Axes, run: Run, names: Sequence[str], norm: Normalize, theme: Theme, first: bool) -> None:
    """A cell for each configuration, the last of `names` to the right, the combinations of the others upwards."""
    *vertical, horizontal = names
    grid = pd.DataFrame(run.manifest["configurations"]).assign(score=frames.sweep_scores(run))
    table = grid.pivot(index=vertical, columns=horizontal, values="score").sort_index(ascending=False)
    lowest = run.manifest["spec"]["select"]["best"] == "lowest"
    sns.heatmap(
        table, ax=axis, cmap=sns.color_palette("mako_r" if lowest else "mako", as_cmap=True), cbar=False,
        square=len(vertical) == 1, annot=table.map(cell), fmt="", annot_kws={"size": 6.5}, norm=norm,
        linewidths=0.6, linecolor=theme.ground, xticklabels=[number(value) for value in table.columns],
        yticklabels=[_row_label(value) for value in table.index],
    )  # fmt: skip
    axis.grid(False)
    label = ", ".join(map(hyperparameter_name, vertical))
    axis.set(xlabel=hyperparameter_name(horizontal), ylabel=label if first else "")
    axis.tick_params(length=0, labelsize=7.5)
    axis.tick_params(axis="x", rotation=0)
    axis.tick_params(axis="y", rotation=0)
    for row, column in np.argwhere(table.isna().to_numpy()):
        axis.add_patch(plt.Rectangle((column, row), 1, 1, fill=False, hatch="////", edgecolor=theme.faint, linewidth=0))
    chosen = grid.loc[run.manifest["selected"]["configuration"]]
    row = tuple(chosen[name] for name in vertical) if len(vertical) > 1 else chosen[vertical[0]]
    place = (list(table.columns).index(chosen[horizontal]), list(table.index).index(row))
    axis.add_patch(plt.Rectangle(place, 1, 1, fill=False, edgecolor="#ff8a00", linewidth=2, clip_on=False, zorder=5))


def _row_label(value: float | tuple[float, ...]) -> str:
    return ", ".join(map(number, value)) if isinstance(value, tuple) else number(value)


def shared_norm(runs: Iterable[Run]) -> Normalize:
    """Of the scores of all runs, so that their colours compare: from zero to one for fractions, logarithmic for wide
    ranges, else from the least to the greatest."""
    scores = pd.concat([frames.sweep_scores(run) for run in runs])
    least, greatest = scores.min(), scores.max()
    if least >= 0 and greatest <= 1:
        return Normalize(0, 1)
    return (LogNorm if scales.spans_decades(scores, WIDE) else Normalize)(least, greatest)


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
