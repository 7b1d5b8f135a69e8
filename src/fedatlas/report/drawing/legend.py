"""Legends, and the mark of pictures whose numbers say nothing about the paper's data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np

from fedatlas.report.drawing.theme import Theme

STAND_IN = "STAND-IN DATA"
STAND_IN_WORDS = f"{STAND_IN}, not the paper's"
PER_INCH, SAMPLE = 11, 7  # letters of a legend side by side, loosely; what the line of an entry takes of them
AT_MOST = 15  # letters in an inch, of the longest names of its columns
LINE = 0.19  # inches of a row


class LegendEntry(NamedTuple):
    """A line of a legend."""

    name: str
    colour: str
    dash: str | tuple = "-"
    marker: str = ""


def columns_of(entries: Sequence[LegendEntry], width: float) -> int:
    """How many of them stand side by side above a picture of this width in inches."""
    letters = [SAMPLE + len(entry.name) for entry in entries]
    rows = math.ceil(sum(letters) / (PER_INCH * width))
    while sum(map(max, _columns(letters, rows))) > AT_MOST * width and rows < len(letters):
        rows += 1
    return math.ceil(len(entries) / rows)


def _columns(letters: Sequence[int], rows: int) -> list[np.ndarray]:
    """The columns, which matplotlib fills one after the other."""
    return np.array_split(letters, math.ceil(len(letters) / rows))


def room_above(entries: Sequence[LegendEntry], width: float) -> float:
    """The inches that the legend takes."""
    return LINE * math.ceil(len(entries) / columns_of(entries, width)) + 0.08 if entries else 0.0


def handle(entry: LegendEntry) -> plt.Line2D:
    """The sample of an entry."""
    width = 0 if entry.marker else 2.2 if entry.dash == "-" else 1.4
    dash = "" if entry.marker else entry.dash
    return plt.Line2D([], [], color=entry.colour, linestyle=dash, linewidth=width, marker=entry.marker)


def legend_above(canvas: plt.Figure, entries: Sequence[LegendEntry], theme: Theme, width: float) -> None:
    """Above all panels, in as few rows as fit; none where nothing is drawn."""
    if entries:
        canvas.legend(
            [handle(entry) for entry in entries], [entry.name for entry in entries], loc="upper left",
            bbox_to_anchor=(0, 1), borderaxespad=0.2, ncols=columns_of(entries, width), labelcolor=theme.ink,
            handlelength=1.6, columnspacing=1.2,
        )  # fmt: skip


def mark_stand_in(canvas: plt.Figure, theme: Theme) -> plt.Figure:
    """Writes on the picture that its data is a stand-in, beside the label of its last axis; returns the picture."""
    canvas.text(0.995, 0.002, STAND_IN, ha="right", va="bottom", fontsize=7.5, weight="bold", color=theme.warn)
    return canvas
