"""How the values of clients are spread: a ridge for each algorithm or group of clients."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np

from fedatlas.report.drawing import panels
from fedatlas.report.drawing.theme import Theme

WIDTH = 0.02  # of the bell that stands for a client, as a fraction of the axis
LETTER, ALONE = 0.068, 5.2  # inches of a letter of a name, and of the picture
CAPITAL = 0.4  # by which a capital letter is wider
OVERLAP = 1.35  # of a ridge's height with the distance of two


@dataclass(frozen=True)
class Ridge:
    """One of them.

    Attributes:
        values: of the clients.
        mean: where its dot stands; the clients may have weights.
        worst: where its stroke stands, the value of the client at the worst tenth; none if NaN.
    """

    name: str
    colour: str
    values: np.ndarray
    mean: float
    worst: float = math.nan


def density(values: np.ndarray, places: np.ndarray, span: float) -> np.ndarray:
    """Bells of WIDTH times the span at the values, their mean height at the places."""
    apart = (places[:, None] - values[None]) / (WIDTH * span)
    return np.exp(-(apart**2) / 2).mean(1)


def draw(ridges: Sequence[Ridge], label: str, limits: tuple[float, float], theme: Theme) -> plt.Figure:
    """The ridges one below the other, each as high as the others; call inside `theme.style`."""
    left = LETTER * max(_letters(ridge.name) for ridge in ridges) + 0.15
    height = 0.46 * len(ridges) + panels.TOP + panels.BOTTOM
    canvas, axes = panels.grid(1, panels.Size(ALONE, 1), height, left=left)
    axis = axes[0, 0]
    places = np.linspace(*limits, 400)
    for place, ridge in enumerate(reversed(ridges)):
        colour = theme.readable(ridge.colour)
        heights = density(ridge.values, places, limits[1] - limits[0])
        top = place + OVERLAP * 0.6 * heights / heights.max()
        order = 2 + 2 * (len(ridges) - place)
        axis.fill_between(places, place, top, color=colour, alpha=0.3, linewidth=0, zorder=order)
        axis.plot(places, top, color=colour, linewidth=1.3, zorder=order + 1)
        axis.plot([ridge.mean], [place], "o", color=colour, markersize=5, zorder=50, clip_on=False)
        if not math.isnan(ridge.worst):
            axis.plot([ridge.worst] * 2, [place - 0.12, place + 0.3], color=theme.ink, linewidth=1.6, zorder=50)
    axis.set_yticks(range(len(ridges)), [ridge.name for ridge in reversed(ridges)], color=theme.ink)
    axis.set(xlabel=label, xlim=limits, ylim=(-0.3, len(ridges) - 1 + OVERLAP * 0.75))
    axis.spines["left"].set_visible(False)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="y", visible=False)
    return canvas


def _letters(name: str) -> float:
    return len(name) + CAPITAL * sum(map(str.isupper, name))
