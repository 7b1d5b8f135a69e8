"""Several experiments as the panels of one picture, laid out as in the paper."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt

from fedatlas.claims.evidence import Evidence
from fedatlas.report import frames
from fedatlas.report.figures.curves import draw_panel, handle, legend
from fedatlas.report.figures.marks import STAND_IN, WORDS, Key
from fedatlas.report.figures.theme import Theme
from fedatlas.report.papers import Figure, Panel

WIDE, NARROW = 3, 1  # experiments beside each other
TITLE = 30  # letters over a panel; a longer title takes two lines


def draw(evidence: Evidence, paper: str, figure: Figure, theme: Theme, columns: int) -> plt.Figure:
    """The panels of each of the figure's experiments, one below the other; call inside `theme.style`.

    A panel whose experiment was not run stays empty and says so; one whose data is a stand-in is marked. Experiments
    with the same curves share a legend above, others have their own below.
    """
    titles = figure.side_by_side
    columns = NARROW if columns == 1 else min(WIDE, len(titles))
    high = max(len(figure.panels_of(id)) for id in titles)
    heights = _heights([f"{paper}/{id}" in evidence.runs for id in titles], columns, high)
    height = (3.9 if columns > 1 else 3.3) * (1 if high == 1 else 0.75)
    canvas, axes = plt.subplots(
        len(heights), columns, figsize=(9.4 if columns > 1 else 4.2, sum(heights) * height), squeeze=False,
        layout="constrained", height_ratios=heights,
    )  # fmt: skip
    for axis in axes.flat:
        axis.set_visible(False)
    places = {id: axes[n // columns * high :, n % columns] for n, id in enumerate(titles)}
    keys = {id: _column(places[id], evidence, f"{paper}/{id}", figure, theme) for id in titles}
    drawn = {id: own for id, own in keys.items() if own}
    if len(set(map(tuple, drawn.values()))) == 1:
        legend(canvas, axes.flat[0], next(iter(drawn.values())), theme, columns > 1)
    else:
        for id, own in drawn.items():
            _own_legend(places[id][len(figure.panels_of(id)) - 1], own, theme)
    return canvas


def _heights(there: Sequence[bool], columns: int, high: int) -> list[float]:
    """Of every row; one of which nothing was run is low."""
    rows = [there[start : start + columns] for start in range(0, len(there), columns)]
    return [1.0 if any(row) else 0.25 for row in rows for _ in range(high)]


def _column(axes: Sequence[plt.Axes], evidence: Evidence, key: str, figure: Figure, theme: Theme) -> list[Key]:
    """The panels of one experiment; the first in a row, and those of another metric, say what they show."""
    keys, id = [], key.split("/")[1]
    for place, (axis, panel) in enumerate(zip(axes, figure.panels_of(id), strict=False)):
        axis.set_visible(True)
        keys += _panel(axis, evidence, key, figure, panel, theme)
        axis.set_title(_title(figure.side_by_side[id] + frames.other_scale(evidence, key), panel))
        usual = figure.panels_of(next(iter(figure.side_by_side)))[place:][:1]
        first = axis.get_subplotspec().is_first_col()
        axis.set_ylabel(panel.name if keys and (first or (panel.name,) != tuple(p.name for p in usual)) else "")
    return list(dict.fromkeys(keys))


def _title(experiment: str, panel: Panel) -> str:
    if not panel.title:
        return experiment
    between = ", " if len(experiment + panel.title) < TITLE else ",\n"
    return experiment + between + panel.title


def _panel(axis: plt.Axes, evidence: Evidence, key: str, figure: Figure, panel: Panel, theme: Theme) -> Sequence[Key]:
    if key not in evidence.runs:
        axis.text(0.5, 0.5, "not run here", color=theme.faint, ha="center", transform=axis.transAxes)
        axis.set(xticks=[], yticks=[])
        return ()
    shown = frames.shown(evidence, key, figure)
    keys = draw_panel(axis, shown, key, figure, panel, theme)
    if STAND_IN in frames.data_kind(shown.runs[key]):
        axis.text(0.98, 0.97, WORDS, color=theme.warn, ha="right", va="top", fontsize=7, transform=axis.transAxes)
    return keys


def _own_legend(axis: plt.Axes, keys: Sequence[Key], theme: Theme) -> None:
    axis.legend(
        [handle(axis, key) for key in keys], [key.name for key in keys], loc="upper left", bbox_to_anchor=(-0.1, -0.17),
        ncols=2, fontsize=7.5, labelcolor=theme.ink, handlelength=1.6, columnspacing=1,
    )  # fmt: skip
