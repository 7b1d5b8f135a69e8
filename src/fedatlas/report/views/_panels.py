"""Kinds of figures whose panels each draw one metric, and can stand beside panels of other experiments."""

from __future__ import annotations

from abc import abstractmethod

import matplotlib.pyplot as plt
import pandas as pd

from fedatlas.report.drawing import panels
from fedatlas.report.drawing.legend import LegendEntry, legend_above, room_above
from fedatlas.report.drawing.theme import Theme
from fedatlas.report.model.figure import Figure, Panel
from fedatlas.report.views._base import View
from fedatlas.results.collection import ExperimentResults

HEIGHT, ALONE = 2.6, 3.1  # inches of a panel beside others, and of a single one


class PanelView(View):
    """A kind that draws one panel for each of the figure's metrics."""

    @abstractmethod
    def panel_table(self, results: ExperimentResults, figure: Figure, panel: Panel) -> pd.DataFrame:
        """What one panel shows, in long form."""

    @abstractmethod
    def entries(self, results: ExperimentResults, figure: Figure, panel: Panel, theme: Theme) -> list[LegendEntry]:
        """What belongs into the legend of one panel."""

    @abstractmethod
    def draw_panel(
        self, axis: plt.Axes, results: ExperimentResults, figure: Figure, panel: Panel, theme: Theme
    ) -> None:
        """Draws one panel."""

    def table(self, results: ExperimentResults, figure: Figure) -> pd.DataFrame:
        parts = [self.panel_table(results, figure, panel).assign(panel=panel.heading) for panel in figure.panels]
        parts = [part for part in parts if not part.empty]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()

    def draw(self, results: ExperimentResults, figure: Figure, theme: Theme, columns: int) -> plt.Figure:
        number = len(figure.panels)
        size = panels.fitted(columns, number)
        found = [entry for panel in figure.panels for entry in self.entries(results, figure, panel, theme)]
        entries = list(dict.fromkeys(found))
        canvas, axes = panels.grid(number, size, HEIGHT if number > 1 else ALONE, room_above(entries, size.width))
        for axis, panel in zip(axes.flat, figure.panels, strict=False):
            self.draw_panel(axis, results, figure, panel, theme)
        legend_above(canvas, entries, theme, size.width)
        return canvas
