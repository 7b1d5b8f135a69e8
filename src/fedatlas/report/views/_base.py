"""What every kind of figure can do.

A kind is one file of this folder with one subclass of `View`: from an experiment's results to a table, a picture, an
interactive chart, and the words for them. No other file knows it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import matplotlib.pyplot as plt
import pandas as pd

from fedatlas.report.drawing.theme import Theme
from fedatlas.report.model.figure import Figure
from fedatlas.results.collection import ExperimentResults

Explorer = dict[str, Any]  # what the page's script draws: the chart, its choices and the legend


class View(ABC):
    """One kind of figure.

    Class attributes:
        columns: by layout, how many panels may stand side by side.
        raster: it holds an image, so that its dark picture is drawn apart.
    """

    columns: ClassVar[Mapping[str, int]] = {"wide": 2, "narrow": 1}
    raster: ClassVar[bool] = False

    @abstractmethod
    def table(self, results: ExperimentResults, figure: Figure) -> pd.DataFrame:
        """What is drawn, in long form; empty where the results hold nothing to draw."""

    @abstractmethod
    def draw(self, results: ExperimentResults, figure: Figure, theme: Theme, columns: int) -> plt.Figure:
        """The picture; call inside `theme.style`."""

    @abstractmethod
    def alt(self, results: ExperimentResults, figure: Figure) -> str:
        """The picture in words, with its numbers, for those who do not see it."""

    @abstractmethod
    def caption(self, results: ExperimentResults, figure: Figure) -> str:
        """What its lines, dots or colours are."""

    def panels(self, results: ExperimentResults, figure: Figure) -> int:
        """How many panels it has; a picture of one panel needs one layout only."""
        return len(figure.panels)

    def chart(self, results: ExperimentResults, figure: Figure) -> Explorer | None:
        """The interactive chart; None if there is none."""
        return None
