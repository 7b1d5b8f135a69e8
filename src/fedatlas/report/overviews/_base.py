"""What a figure can do that shows several experiments side by side, or a computation and no experiment."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import matplotlib.pyplot as plt

from fedatlas.report.drawing.theme import Theme
from fedatlas.report.model.figure import Figure
from fedatlas.results.collection import ExperimentResults

ByExperiment = Mapping[str, ExperimentResults]  # by the experiments' ids; those that were not run are missing


class Overview(ABC):
    """One kind of such a figure.

    Class attributes:
        columns: by layout, how many panels may stand side by side.
        about: what it is, above the picture; empty where the figure's caption says it.
    """

    columns: ClassVar[Mapping[str, int]] = {"wide": 3, "narrow": 1}
    about: ClassVar[str] = ""

    @abstractmethod
    def draw(self, results: ByExperiment, figure: Figure, theme: Theme, columns: int) -> plt.Figure:
        """The picture; call inside `theme.style`."""

    @abstractmethod
    def alt(self, results: ByExperiment, figure: Figure) -> str:
        """The picture in words, with its numbers, for those who do not see it."""

    @abstractmethod
    def caption(self, results: ByExperiment, figure: Figure) -> str:
        """What its lines, dots or colours are."""
