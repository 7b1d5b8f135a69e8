"""Curves that lie on one another."""

from __future__ import annotations

from collections.abc import Iterable

import matplotlib.pyplot as plt
import numpy as np

NEAR = 1.0  # points between curves that nobody can tell apart
DASHES = ((0, (2.5, 2.5)), (0, (1, 3)))  # of a curve that lies on one other, and on several


def tell_apart(axis: plt.Axes, lines: Iterable[plt.Line2D]) -> None:
    """Dashes every line that lies on earlier ones for most of its length, so that they show between its dashes.

    The axis must have its scales and limits.
    """
    axis.get_xlim(), axis.get_ylim()  # which are worked out when they are asked for
    earlier: list[np.ndarray] = []
    for line in lines:
        places = axis.transData.transform(line.get_xydata()) * 72 / axis.figure.dpi
        below = sum(_coincide(places, others) for others in earlier)
        if below:
            line.set_linestyle(DASHES[min(below, len(DASHES)) - 1])
        earlier.append(places)


def _coincide(places: np.ndarray, others: np.ndarray) -> bool:
    """Whether two lines [points, 2], in points of the picture, have their points at the same places."""
    if places.shape != others.shape:
        return False
    with np.errstate(invalid="ignore"):  # where both have left the picture they are neither near nor apart
        apart = np.abs(places - others).max(axis=1)
    return bool(np.nanmedian(apart) <= NEAR) if np.isfinite(apart).any() else False
