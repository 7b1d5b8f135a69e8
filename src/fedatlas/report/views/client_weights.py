"""Mixture weights of clients: in a triangle for three components, on a line for two."""

from __future__ import annotations

import math
from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from fedatlas.report.drawing.theme import Theme
from fedatlas.report.model.figure import Figure
from fedatlas.report.views._base import View
from fedatlas.results.clients import Mixtures, mixtures
from fedatlas.results.collection import ExperimentResults

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, math.sqrt(3) / 2]])
COLOURS = np.array([[0.86, 0.20, 0.18], [0.13, 0.47, 0.86], [0.16, 0.62, 0.26]])  # of the components
SPREAD = 0.012  # of dots that would hide each other


class ClientWeights(View):
    """A panel for each algorithm that mixes, of one seed, and beside a single one its truth."""

    def table(self, results: ExperimentResults, figure: Figure) -> pd.DataFrame:
        """Columns algorithm and weight_1, weight_2, ...; a row for each client."""
        parts = [
            pd.DataFrame(own.learned).rename(columns=lambda m: f"weight_{m + 1}").assign(algorithm=name)
            for name, own in mixtures(results).items()
        ]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()

    def panels(self, results: ExperimentResults, figure: Figure) -> int:
        return max(2, len(mixtures(results)))

    def draw(self, results: ExperimentResults, figure: Figure, theme: Theme, columns: int) -> plt.Figure:
        """A dot is a client. Its colour is mixed by its true weights from those of the components, which stand at the
        corners; where the truth is not known, it is the algorithm's."""
        colours = {results.names[id]: colour for id, colour in results.colours.items()}
        panels = _with_truth({results.names[id]: own for id, own in mixtures(results).items()})
        rows = -(-len(panels) // columns)
        size = (4.3 * columns, 3.9 * rows)
        canvas, axes = plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
        for axis in axes.flat[len(panels) :]:
            axis.axis("off")  # its room stays, so that one panel is not as wide as the page
        for axis, (name, own) in zip(axes.flat, panels.items(), strict=False):
            number = own.learned.shape[1]
            fill = theme.readable(colours[name]) if own.true is None else own.true @ COLOURS[:number]
            _frame(axis, number, own.true is not None, theme)
            axis.scatter(*_scattered(own.learned).T, s=17, c=fill, edgecolors=theme.ink, linewidths=0.35, zorder=3)
            axis.set_title(name)
        return canvas

    def alt(self, results: ExperimentResults, figure: Figure) -> str:
        own = {results.names[id]: found for id, found in mixtures(results).items()}
        sizes = "; ".join(f"{name}: {len(found.learned)} clients{_agreement(found)}" for name, found in own.items())
        return f"Mixture weights that clients learned. {sizes}."

    def caption(self, results: ExperimentResults, figure: Figure) -> str:
        known = all(own.true is not None for own in mixtures(results).values())
        mixed = "Its colour mixes the components' colours by its true weights"
        colour = mixed if known else "The true weights are not known"
        return (
            f"The mixture weights that the clients of one seed learned. Each dot is a client. {colour}. A dot at a "
            "corner has one component alone; dots are spread a little so that none hides another."
        )


def _agreement(own: Mixtures) -> str:
    if own.true is None:
        return ""
    same = float(np.mean(own.learned.argmax(1) == own.true.argmax(1)))
    return f", {same:.0%} of whom have their largest weight where it truly is"


def _with_truth(panels: Mapping[str, Mixtures]) -> Mapping[str, Mixtures]:
    own = next(iter(panels.values()))
    if len(panels) > 1 or own.true is None:
        return panels
    return {"the truth": Mixtures(own.true, own.true), **panels}


def _scattered(weights: np.ndarray) -> np.ndarray:
    """Where the clients stand, [clients, 2], a little apart from each other."""
    spread = np.random.default_rng(0).normal(scale=SPREAD, size=(len(weights), 2))
    if weights.shape[1] == 3:
        return weights @ CORNERS + spread
    return np.column_stack([weights[:, 1], 20 * spread[:, 1]])


def _frame(axis: plt.Axes, number: int, known: bool, theme: Theme) -> None:
    """The triangle or the line, with the components' names in their colours."""
    corners = CORNERS if number == 3 else np.array([[0.0, 0.0], [1.0, 0.0]])
    axis.plot(*np.vstack([corners, corners[:1]]).T, color=theme.faint, linewidth=0.9, zorder=1)
    for place, (x, y) in enumerate(corners):
        above = number == 3 and place == 2
        axis.annotate(
            f"component {place + 1}", (x, y), xytext=(0, 7 if above else -9), textcoords="offset points",
            ha=("center" if above else "left" if place == 0 else "right"), va="bottom" if above else "top",
            color=theme.readable(plt.matplotlib.colors.to_hex(COLOURS[place])) if known else theme.faint, fontsize=8,
        )  # fmt: skip
    if number == 3:
        axis.set_aspect("equal")
    axis.set(xlim=(-0.08, 1.08), ylim=(-0.14, 1.0) if number == 3 else (-1, 1))
    axis.axis("off")
