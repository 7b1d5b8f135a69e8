"""Several experiments as the panels of one picture, laid out as in the paper."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

import matplotlib.pyplot as plt

from fedatlas.formatting import listed, number
from fedatlas.report.drawing import panels
from fedatlas.report.drawing.axis_scales import is_fraction
from fedatlas.report.drawing.legend import STAND_IN_WORDS, LegendEntry, handle, legend_above, room_above
from fedatlas.report.drawing.theme import Theme
from fedatlas.report.model.figure import Figure, Panel
from fedatlas.report.overviews._base import ByExperiment, Overview
from fedatlas.report.views import view
from fedatlas.report.views._panels import PanelView
from fedatlas.results.collection import ExperimentResults

TITLE = 30  # letters over a panel; a longer title takes two lines
HIGH, LOW = 3.2, 2.7  # inches of a single panel and of one of several
OWN_LEGEND = 0.18  # inches of a row below a panel
LINE = 0.18  # inches of a title's second line
OUTWARD = -0.12  # where a title begins, as a share of the panel's width: over the tick labels, to have room


class SideBySide(Overview):
    """The panels of each of the figure's experiments, one below the other."""

    def draw(self, results: ByExperiment, figure: Figure, theme: Theme, columns: int) -> plt.Figure:
        """The panels of what was run; one whose data is a stand-in is marked.

        Experiments whose curves are some of one experiment's share a legend above, others have their own below.
        """
        shown = _shown(results, figure)
        columns = 1 if columns == 1 else balanced(len(shown), self.columns["wide"])
        size = panels.Size(panels.NARROW if columns == 1 else 9.4, columns)
        bands = list(_bands(shown, columns))
        high = [max(len(figure.panels_of(id)) for id in band) for band in bands]
        entries = {id: _entries(own, figure, theme) for id, own in shown.items()}
        most = max(entries.values(), key=len)
        shared = all(set(own) <= set(most) for own in entries.values())
        above = most if shared else []
        below = 0.0 if shared else OWN_LEGEND * math.ceil(len(most) / 2)
        titles = [_title(own, panel, figure, id) for id, own in shown.items() for panel in figure.panels_of(id)]
        second = LINE * any("\n" in title for title in titles)
        canvas, axes = panels.grid(
            sum(high) * columns, size, (HIGH if max(high) == 1 else LOW) + below + second,
            room_above(above, size.width), left=0.72, bottom=panels.BOTTOM + below, top=panels.TOP + second,
        )  # fmt: skip
        for axis in axes.flat:
            axis.set_visible(False)
        for band, top in zip(bands, itertools.accumulate(high, initial=0), strict=False):
            for place, id in enumerate(band):
                column = axes[top:, place]
                _draw_column(column, shown[id], figure, theme, first=place == 0)
                if not shared:
                    _own_legend(column[len(figure.panels_of(id)) - 1], entries[id], theme)
        legend_above(canvas, above, theme, size.width)
        return canvas

    def alt(self, results: ByExperiment, figure: Figure) -> str:
        shown = _shown(results, figure)
        parts = [f"{figure.side_by_side[id]}: {_best(own, figure)}" for id, own in shown.items()]
        panels = sum(len(figure.panels_of(id)) for id in shown)
        return f"{panels} panels of {listed(panel.name for panel in figure.measures)}. {'; '.join(parts)}."

    def caption(self, results: ByExperiment, figure: Figure) -> str:
        shown = _shown(results, figure)
        but = " but those of other readings" if any(own.experiment.reading for own in shown.values()) else ""
        words = f"Every panel{but} stands below with its values, claims and provenance; what was not run is named there"
        if any(own.lost(panel) for id, own in shown.items() for panel in figure.panels_of(id)):
            words += ", as is a seed that is not drawn because it diverges"
        return f"{words}."


def _shown(results: ByExperiment, figure: Figure) -> dict[str, ExperimentResults]:
    return {id: results[id].shown(figure.algorithms) for id in figure.side_by_side if id in results}


def balanced(parts: int, most: int) -> int:
    """How many of them stand in a row, so that the last row is not much shorter than the others."""
    return math.ceil(parts / math.ceil(parts / most))


def _bands(ids: Iterable[str], columns: int) -> Iterator[tuple[str, ...]]:
    """Those that stand beside each other, from the top."""
    left = iter(ids)
    while band := tuple(itertools.islice(left, columns)):
        yield band


def _view(panel: Panel) -> PanelView:
    """The kind of the panel, which is one that draws single panels."""
    return cast(PanelView, view(panel.view))


def _entries(results: ExperimentResults, figure: Figure, theme: Theme) -> list[LegendEntry]:
    found = [
        entry
        for panel in figure.panels_of(results.experiment.id)
        for entry in _view(panel).entries(results, figure, panel, theme)
    ]
    return list(dict.fromkeys(found))


def _draw_column(
    axes: Sequence[plt.Axes], results: ExperimentResults, figure: Figure, theme: Theme, first: bool
) -> None:
    """The panels of one experiment; the first in a row, and those of another metric, say what they show."""
    id, usual = results.experiment.id, figure.panels_of(next(iter(figure.side_by_side)))
    for place, (axis, panel) in enumerate(zip(axes, figure.panels_of(id), strict=False)):
        axis.set_visible(True)
        _view(panel).draw_panel(axis, results, figure, panel, theme)
        if results.is_stand_in:
            words = {"color": theme.warn, "ha": "right", "va": "top", "fontsize": 7}
            axis.text(0.98, 0.97, STAND_IN_WORDS, transform=axis.transAxes, **words)
        axis.set_title(_title(results, panel, figure, id), x=OUTWARD)
        unusual = place >= len(usual) or usual[place].name != panel.name
        axis.set_ylabel(panel.name if first or unusual else "")


def _title(results: ExperimentResults, panel: Panel, figure: Figure, id: str) -> str:
    """What the figure calls the experiment, with its own data's name and scale where they are not the paper's."""
    experiment = figure.side_by_side[id]
    if results.experiment.proxy_for:
        experiment = experiment.replace(results.experiment.proxy_for, results.data_names)
    scale = "" if results.scale == "paper" else f"{results.scale} scale"
    below = ", ".join(filter(None, (scale, panel.title)))
    between = ", " if len(experiment + below) < TITLE else ",\n"
    return experiment + between + below if below else experiment


def _own_legend(axis: plt.Axes, entries: Sequence[LegendEntry], theme: Theme) -> None:
    axis.legend(
        [handle(entry) for entry in entries], [entry.name for entry in entries], loc="upper left",
        bbox_to_anchor=(-0.14, -0.16), ncols=2, fontsize=7.5, labelcolor=theme.ink, handlelength=1.6, columnspacing=1,
    )  # fmt: skip


def _best(results: ExperimentResults, figure: Figure) -> str:
    """Which curve ends lowest, or highest where the metric is a fraction."""
    panel = figure.panels_of(results.experiment.id)[0]
    runs = results.federated.holding(panel)
    ends = {name: runs.last(id, panel) for id, name in runs.names.items()}
    finite = {name: end for name, end in ends.items() if math.isfinite(end)}
    if not finite:
        return f"all of {len(ends)} curves diverge"
    word, choose = ("highest", max) if is_fraction(panel) else ("lowest", min)
    name = choose(finite, key=finite.__getitem__)
    return f"{name} ends {word} of {len(ends)} curves, at {number(finite[name])}"
