"""The share of communication that may be skipped against the accuracy: by theory, by Table 2, and as measured."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from fedatlas.formatting import number
from fedatlas.report.drawing import panels
from fedatlas.report.drawing.theme import Theme
from fedatlas.report.model.figure import Figure
from fedatlas.report.overviews._base import ByExperiment, Overview
from fedatlas.report.theory import fedpd_skipping as theory
from fedatlas.report.theory.fedpd_skipping import ETA, TURN, Measured
from fedatlas.results.collection import ExperimentResults

SHARES = np.concatenate([np.linspace(0, 0.9, 400), 1 - np.geomspace(0.1, 0.03, 100)])
RATIOS = (0.1, 1, 10, 100, 10_000, 1_000_000)  # that the picture's words give
TARGETS = 80
SHARE = "share of rounds skipped, p"
THEORY_DASH = (0, (2, 2))
PANEL, BELOW, ENTRY = 2.65, 0.62, 0.16  # inches of a panel with its title, below one, and of an entry of the legend


class SkippedRounds(Overview):
    """Both of the paper's regimes, and beside them what was measured, if anything was."""

    about = (
        "Computed from Theorem 1, not measured: the largest share p of skipped communications with C(p) ≤ ε / (3 δ²), "
        "for the step size of Table 2 and L = 1, and Table 2's two approximations of it. δ bounds how much the "
        "clients' gradients differ anywhere, so what is measured can only be drawn against ε."
    )

    def draw(self, results: ByExperiment, figure: Figure, theme: Theme, columns: int) -> plt.Figure:
        measured = _measured(results, figure)
        count = 3 if measured else 2
        size = panels.Size(9.0, count) if columns > 1 else panels.Size(panels.NARROW, 1)
        bottom = BELOW + ENTRY * measured.table["name"].nunique() if measured else panels.BOTTOM
        canvas, axes = panels.grid(count, size, PANEL + bottom, bottom=bottom)
        _heterogeneous(axes.flat[0], theme)
        _homogeneous(axes.flat[1], theme)
        if measured:
            _draw_measured(axes.flat[2], measured, theme)
        for place, axis in enumerate(axes.flat):
            axis.set_ylim(-0.02, 1.02)
            axis.set_ylabel(SHARE if place % size.columns == 0 else "")
        return canvas

    def alt(self, results: ByExperiment, figure: Figure) -> str:
        known = ", ".join(f"{number(theory.largest_skip(ratio))} at {number(ratio)}" for ratio in RATIOS)
        text = f"Curves of the share of skipped rounds that Theorem 1 allows, by ε / δ²: {known}."
        measured = _measured(results, figure)
        if measured is None:
            return text
        columns = (measured.table[column] for column in ("name", "skip", "value"))
        rows = ", ".join(f"{name} {number(skip)}: {number(value)}" for name, skip, value in zip(*columns, strict=True))
        return f"{text} Measured gap at the last round by share: {rows}."

    def caption(self, results: ByExperiment, figure: Figure) -> str:
        words = (
            "Below the dotted share C₃ is smaller than one, above it larger: the two rows of Table 2, ε / (36 η δ²) "
            "and 1 − 2 / log(ε / (42 η δ²))."
        )
        if _measured(results, figure) is None:
            return words
        scale = next(iter(results.values())).scale
        return (
            f"{words} The last panel is measured, at {scale} scale: the largest share of the sweep whose gap at the "
            "last round is at most ε. Dots are its configurations, without those that come nearer than any that skips."
        )


def _measured(results: ByExperiment, figure: Figure) -> Measured | None:
    """What the first experiment that was run measured of skipping."""
    own: ExperimentResults | None = next(iter(results.values()), None)
    return theory.measured(own, figure.panels[0]) if own is not None and figure.panels else None


def _heterogeneous(axis: plt.Axes, theme: Theme) -> None:
    ends = theory.accuracy(TURN)
    exact = SHARES[SHARES <= TURN]
    ratios = np.linspace(0, min(ends, 36 * ETA * TURN), 50)
    axis.plot(theory.accuracy(exact), exact, color=theme.ink, linewidth=1.9, label="Theorem 1")
    axis.plot(ratios, theory.linear(ratios), color=theme.faint, linestyle=THEORY_DASH, label="Table 2")
    axis.set(title="Heterogeneous clients", xlabel="ε / δ²")
    axis.legend(loc="lower right", labelcolor=theme.ink)


def _homogeneous(axis: plt.Axes, theme: Theme) -> None:
    exact = SHARES[SHARES > 0.001]
    ratios = theory.accuracy(exact)
    rows = np.geomspace(42 * ETA * np.exp(2 / (1 - TURN)), ratios.max(), 200)
    axis.plot(ratios, exact, color=theme.ink, linewidth=1.9, label="Theorem 1")
    axis.plot(rows, theory.logarithmic(rows), color=theme.faint, linestyle=THEORY_DASH, label="Table 2")
    axis.axhline(TURN, color=theme.faint, linewidth=0.8, linestyle=":")
    axis.set(title="Homogeneous clients", xlabel="ε / δ², logarithmic", xscale="log")
    axis.legend(loc="lower right", labelcolor=theme.ink)


def _draw_measured(axis: plt.Axes, measured: Measured, theme: Theme) -> None:
    """A step wherever a configuration begins to meet the target; from a tenth of the least gap that skipping leaves."""
    rows = measured.table[np.isfinite(measured.table["value"]) & (measured.table["value"] > 0)]
    skipping = rows.loc[rows["skip"] > 0, "value"]
    least = (rows["value"] if skipping.empty else skipping).min() / 10
    targets = np.geomspace(least, rows["value"].max() * 2, TARGETS)
    steps = measured.largest(targets)
    for (name, colour), line in steps.groupby(["name", "colour"], sort=False):
        axis.plot(line["target"], line["skip"], color=theme.readable(colour), linewidth=1.4, drawstyle="steps-post")
        own = measured.table[measured.table["name"] == name]
        axis.plot(own["value"], own["skip"], "o", markersize=4, color=theme.readable(colour), label=name)
    axis.set(title="Measured", xlabel="ε, the gap at the last round", xscale="log", xlim=targets[[0, -1]])
    axis.legend(loc="upper left", bbox_to_anchor=(-0.05, -0.2), labelcolor=theme.ink, fontsize=7.5)
