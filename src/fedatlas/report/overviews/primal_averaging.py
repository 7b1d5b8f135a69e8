"""Sparse clients and their averages, one square of coefficients each."""

from __future__ import annotations

import math
from typing import ClassVar

import matplotlib.pyplot as plt
import numpy as np

from fedatlas.formatting import listed
from fedatlas.report.drawing.theme import Theme
from fedatlas.report.model.figure import Figure
from fedatlas.report.overviews._base import ByExperiment, Overview
from fedatlas.report.theory.primal_averaging import primal_averaging


class PrimalAveraging(Overview):
    """A small computation beside the page, and no experiment."""

    columns: ClassVar = {"wide": 5, "narrow": 2}
    about = (
        "A small computation, not an experiment: two clients with few noisy examples of the same sparse model each "
        "take local steps with an ℓ1 penalty. Averaged as models, the mistakes of both stay. Averaged as dual states, "
        "before the proximal step, mistakes that are not shared fall below its threshold."
    )

    def draw(self, results: ByExperiment, figure: Figure, theme: Theme, columns: int) -> plt.Figure:
        """A square for each coefficient, the larger the stronger; empty where it is zero."""
        models = primal_averaging().models
        rows = math.ceil(len(models) / columns)
        size = (columns * 1.75, rows * 2.2)
        canvas, axes = plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
        greatest = max(np.abs(model).max() for model in models.values())
        for axis, (name, model) in zip(axes.flat, models.items(), strict=False):
            _square(axis, np.sqrt(np.abs(model) / greatest), theme)
            axis.set_title(name[0].upper() + name[1:], fontsize=9)
            axis.set_xlabel(f"{np.count_nonzero(model)} of {len(model)} are not zero", color=theme.ink)
        for axis in axes.flat[len(models) :]:
            axis.remove()
        return canvas

    def alt(self, results: ByExperiment, figure: Figure) -> str:
        densities = listed(f"{name} {density:.0%}" for name, density in primal_averaging().densities.items())
        return f"Squares of coefficients. Share that is not zero: {densities}."

    def caption(self, results: ByExperiment, figure: Figure) -> str:
        return "Every panel holds 64 coefficients. The larger a square, the stronger the coefficient; none means zero."


def _square(axis: plt.Axes, sides: np.ndarray, theme: Theme) -> None:
    """The coefficients row by row, each a square whose side is a share of its cell."""
    edge = math.isqrt(len(sides))
    for place, side in enumerate(sides):
        if side > 0:
            row, column = divmod(place, edge)
            corner = (column + (1 - side) / 2, row + (1 - side) / 2)
            axis.add_patch(plt.Rectangle(corner, side, side, color=theme.readable("#1d6fd1"), linewidth=0))
    axis.set(xticks=[], yticks=[], aspect="equal", frame_on=False, xlim=(0, edge), ylim=(0, edge))
    axis.set_xticks(range(edge + 1), minor=True)
    axis.set_yticks(range(edge + 1), minor=True)
    axis.grid(which="minor", linewidth=0.4)
    axis.tick_params(which="minor", length=0)
    axis.add_patch(plt.Rectangle((0, 0), edge, edge, fill=False, edgecolor=theme.faint, linewidth=0.8))
