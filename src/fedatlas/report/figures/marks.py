"""The mark of pictures whose numbers decide nothing about the paper's data."""

from __future__ import annotations

import matplotlib.pyplot as plt

from fedatlas.report.figures.theme import Theme

STAND_IN = "stand-in"


def mark(canvas: plt.Figure, kind: str, theme: Theme) -> plt.Figure:
    """Writes below the picture that its data is a stand-in, if `kind` says so; returns the picture."""
    if STAND_IN in kind:
        words = "STAND-IN DATA, not the paper's"
        canvas.supxlabel(words, x=0.99, ha="right", fontsize=8.5, weight="bold", color=theme.warn)
    return canvas
