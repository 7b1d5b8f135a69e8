"""Panels side by side at fixed places: working out where everything fits costs more than drawing it."""

from __future__ import annotations

import math
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np

LEFT, RIGHT, BOTTOM, TOP = 0.52, 0.12, 0.46, 0.3  # inches around a panel for its ticks, label and title


class Size(NamedTuple):
    """Of a picture in inches, with the number of its columns."""

    width: float
    columns: int


WIDE, NARROW = 8.6, 4.2


def fitted(columns: int, panels: int) -> Size:
    """As many of the columns as there are panels; three in a row if there are three and room."""
    if columns == 1 or panels == 1:
        return Size(NARROW, 1) if columns == 1 else Size(5.6, 1)
    return Size(WIDE, 3 if panels == 3 else min(columns, panels))


def grid(
    panels: int, size: Size, height: float, above: float = 0.0, left: float = LEFT, bottom: float = BOTTOM,
    heights: list[float] | None = None, top: float = TOP,
) -> tuple[plt.Figure, np.ndarray]:  # fmt: skip
    """A canvas and its axes [rows, columns], those beyond `panels` taken away.

    Args:
        height: of a panel's row, inches, with its title and label.
        above: room for a legend, inches.
        left: room for the tick labels of every panel, inches.
        heights: of the rows, as multiples of `height`; all one if not given.
        top: room for the title of every panel, inches.
    """
    rows = math.ceil(panels / size.columns)
    heights = heights or [1.0] * rows
    total = sum(heights) * height + above
    canvas = plt.figure(figsize=(size.width, total))
    axes, upper = np.empty((rows, size.columns), object), total - above
    for row in range(rows):
        tall = heights[row] * height
        below = min(bottom, max(0.1, tall - top - 0.25))  # a low row has no room for a legend, and needs none
        for column in range(size.columns):
            x, wide = column * size.width / size.columns, size.width / size.columns
            place = (x + left, upper - tall + below, wide - left - RIGHT, max(tall - below - top, 0.1))
            axes[row, column] = canvas.add_axes(
                (place[0] / size.width, place[1] / total, place[2] / size.width, place[3] / total)
            )
        upper -= tall
    for axis in axes.flat[panels:]:
        axis.remove()
    return canvas, axes
