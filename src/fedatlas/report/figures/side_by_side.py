"""Several experiments as the panels of one picture, laid out as in the paper."""

from __future__ import annotations

import math
from collections.abc import Sequence

import matplotlib.pyplot as plt

from fedatlas.claims.evidence import Evidence
from fedatlas.report import frames
from fedatlas.report.figures.curves import Key, draw_panel, handle, legend
from fedatlas.report.figures.marks import STAND_IN, WORDS
from fedatlas.report.figures.theme import Theme
from fedatlas.report.papers import Figure

WIDE, NARROW = 3, 1  # panels in a row


def draw(evidence: Evidence, paper: str, figure: Figure, theme: Theme, columns: int) -> plt.Figure:
    """The first metric of each of the figure's experiments; call inside `theme.style`.

    A panel whose experiment was not run stays empty and says so; one whose data is a stand-in is marked. Panels with
    the same curves share a legend above, others have their own below.
    """
    titles = figure.side_by_side
    columns = NARROW if columns == 1 else min(WIDE, len(titles))
    rows = math.ceil(len(titles) / columns)
    heights = _heights([f"{paper}/{id}" in evidence.runs for id in titles], columns)
    keys: dict[str, Sequence[Key]] = {}
    canvas, axes = plt.subplots(
        rows, columns, figsize=(9.4 if columns > 1 else 4.2, sum(heights) * (3.9 if columns > 1 else 3.3)),
        squeeze=False, layout="constrained", height_ratios=heights,
    )  # fmt: skip
    places = dict(zip(titles, axes.flat, strict=False))
    for id, axis in places.items():
        keys[id] = _panel(axis, evidence, f"{paper}/{id}", figure, theme)
        axis.set_title(titles[id])
    for axis in axes.flat[len(titles) :]:
        axis.remove()
    for row, height in zip(axes, heights, strict=True):
        row[0].set_ylabel(figure.panels[0].name if height == 1 else "")
    drawn = {id: panel for id, panel in keys.items() if panel}
    if len(set(map(tuple, drawn.values()))) == 1:
        legend(canvas, axes.flat[0], next(iter(drawn.values())), theme, columns > 1)
    else:
        for id, panel in drawn.items():
            _own_legend(places[id], panel, theme)
    return canvas


def _heights(there: Sequence[bool], columns: int) -> list[float]:
    """Of every row; one of which nothing was run is low."""
    rows = [there[start : start + columns] for start in range(0, len(there), columns)]
    return [1.0 if any(row) else 0.25 for row in rows]


def _panel(axis: plt.Axes, evidence: Evidence, key: str, figure: Figure, theme: Theme) -> Sequence[Key]:
    if key not in evidence.runs:
        axis.text(0.5, 0.5, "not run here", color=theme.faint, ha="center", transform=axis.transAxes)
        axis.set(xticks=[], yticks=[])
        return ()
    shown = frames.shown(evidence, key, figure)
    keys = draw_panel(axis, shown, key, figure, figure.panels[0], theme)
    if STAND_IN in frames.data_kind(shown.runs[key]):
        axis.text(0.98, 0.97, WORDS, color=theme.warn, ha="right", va="top", fontsize=7, transform=axis.transAxes)
    return keys


def _own_legend(axis: plt.Axes, keys: Sequence[Key], theme: Theme) -> None:
    axis.legend(
        [handle(axis, key) for key in keys], [key.name for key in keys], loc="upper left", bbox_to_anchor=(-0.1, -0.17),
        ncols=2, fontsize=7.5, labelcolor=theme.ink, handlelength=1.6, columnspacing=1,
    )  # fmt: skip
