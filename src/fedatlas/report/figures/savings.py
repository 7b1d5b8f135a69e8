"""The share of communication that may be skipped against the accuracy: by theory, by Table 2, and as measured."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from fedatlas.report import savings
from fedatlas.report.figures.curves import GUIDE
from fedatlas.report.figures.theme import Theme
from fedatlas.report.savings import ETA, TURN, Measured

SHARES = np.concatenate([np.linspace(0, 0.9, 400), 1 - np.geomspace(0.1, 0.03, 100)])
TARGETS = 80
SHARE = "share of rounds skipped, p"


def draw(measured: Measured | None, theme: Theme, columns: int) -> plt.Figure:
    """Both of the paper's regimes, and beside them what was measured, if anything was; call inside `theme.style`."""
    number = 3 if measured else 2
    columns = min(columns, number)
    rows = -(-number // columns)
    width = 9.0 / columns if columns > 1 else 4.2
    canvas, axes = plt.subplots(rows, columns, figsize=(columns * width, rows * 3.1), squeeze=False,
                                layout="constrained")  # fmt: skip
    _heterogeneous(axes.flat[0], theme)
    _homogeneous(axes.flat[1], theme)
    if measured:
        _measured(axes.flat[2], measured, theme)
    for axis in axes.flat:
        axis.set_ylim(-0.02, 1.02)
        axis.set_ylabel(SHARE)
    return canvas


def _heterogeneous(axis: plt.Axes, theme: Theme) -> None:
    ends = savings.accuracy(TURN)
    exact = SHARES[SHARES <= TURN]
    ratios = np.linspace(0, min(ends, 36 * ETA * TURN), 50)
    axis.plot(savings.accuracy(exact), exact, color=theme.ink, linewidth=1.9, label="Theorem 1")
    axis.plot(ratios, savings.linear(ratios), color=theme.faint, linestyle=GUIDE, label="Table 2")
    axis.set(title="Heterogeneous clients", xlabel="ε / δ²")
    axis.legend(loc="lower right", labelcolor=theme.ink)


def _homogeneous(axis: plt.Axes, theme: Theme) -> None:
    exact = SHARES[SHARES > 0.001]
    ratios = savings.accuracy(exact)
    rows = np.geomspace(42 * ETA * np.exp(2 / (1 - TURN)), ratios.max(), 200)
    axis.plot(ratios, exact, color=theme.ink, linewidth=1.9, label="Theorem 1")
    axis.plot(rows, savings.logarithmic(rows), color=theme.faint, linestyle=GUIDE, label="Table 2")
    axis.axhline(TURN, color=theme.faint, linewidth=0.8, linestyle=":")
    axis.set(title="Homogeneous clients", xlabel="ε / δ², logarithmic", xscale="log")
    axis.legend(loc="lower right", labelcolor=theme.ink)


def _measured(axis: plt.Axes, measured: Measured, theme: Theme) -> None:
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
