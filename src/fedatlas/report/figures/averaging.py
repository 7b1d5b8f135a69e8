"""Sparse clients and their averages, one square of coefficients each."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap

from fedatlas.report.figures.theme import Theme
from fedatlas.report.illustrations import Averaging


def draw(averaging: Averaging, theme: Theme, columns: int) -> plt.Figure:
    """A cell for each coefficient, the stronger the larger; empty where it is zero. Call inside `theme.style`."""
    models = averaging.models
    rows = math.ceil(len(models) / columns)
    canvas, axes = plt.subplots(
        rows, columns, figsize=(columns * 1.75, rows * 2.2), squeeze=False, layout="constrained"
    )
    ink = LinearSegmentedColormap.from_list("ink", [theme.grid, theme.readable("#1d6fd1"), theme.ink])
    greatest = max(np.abs(model).max() for model in models.values())
    for axis, (name, model) in zip(axes.flat, models.items(), strict=False):
        side = math.isqrt(len(model))
        square = np.ma.masked_equal(np.abs(model).reshape(side, side), 0)
        axis.pcolormesh(
            np.sqrt(square), cmap=ink, vmin=0, vmax=greatest**0.5, edgecolors=theme.grid, linewidth=0.4,
        )  # fmt: skip
        axis.set(xticks=[], yticks=[], aspect="equal", frame_on=False)
        axis.set_title(name[0].upper() + name[1:], fontsize=9)
        axis.grid(False)
        axis.set_xlabel(f"{np.count_nonzero(model)} of {len(model)} are not zero", color=theme.ink)
        axis.add_patch(plt.Rectangle((0, 0), side, side, fill=False, edgecolor=theme.faint, linewidth=0.8))
    for axis in axes.flat[len(models) :]:
        axis.remove()
    return canvas
