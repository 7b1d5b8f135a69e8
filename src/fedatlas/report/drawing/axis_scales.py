"""Which axis a metric wants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import LogFormatterMathtext, LogLocator, MaxNLocator

from fedatlas.report.model.figure import Panel
from fedatlas.results.metric import Metric

FRACTIONS = {"f1", "precision", "recall", "density", "accuracy", "accuracy_decile", "clusters"}
HUGE = 1e100  # who comes here is on the way to infinity
DECADES = 300.0  # from here on the greatest value over the least needs a logarithmic axis


def is_fraction(metric: Metric) -> bool:
    """Whether the metric lies between zero and one by its definition."""
    return metric.metric in FRACTIONS


def is_log(values: Iterable[float], panel: Panel) -> bool:
    """Whether the panel's axis is logarithmic: as it says, else if positive numbers span decades."""
    if panel.scale is not None:
        return panel.scale == "log"
    return not is_fraction(panel) and spans_decades(values)


def spans_decades(values: Iterable[float], ratio: float = DECADES) -> bool:
    """Whether all finite values are positive and too far apart to be told from each other on a linear axis."""
    finite = np.array([value for value in values if np.isfinite(value)])
    return bool(finite.size and finite.min() > 0 and finite.max() >= ratio * finite.min())


def drawable(values: pd.Series) -> pd.Series:
    """The values without huge ones: the margins of an axis that shows them would be infinite."""
    return values.where(values.abs() < HUGE)


def set_log(axis: plt.Axes, which: str = "y") -> None:
    """A logarithmic axis with labelled ticks alone; minor ones cost more to draw than the curves."""
    (axis.set_yscale if which == "y" else axis.set_xscale)("log", nonpositive="mask")
    axis.minorticks_off()
    drawn = axis.yaxis if which == "y" else axis.xaxis
    drawn.set_major_locator(_Ticks())
    drawn.set_major_formatter(_Numbers())


def set_plain(axis: plt.Axes) -> None:
    """Numbers in full beside a linear axis, where a factor or a sum above it would push the title away."""
    axis.yaxis.set_major_formatter(lambda value, _: _plain(value))


class _Ticks(LogLocator):
    """Ticks at whole powers of ten; where fewer than two are in view, between them too."""

    def tick_values(self, vmin: float, vmax: float) -> np.ndarray:
        powers = np.asarray(super().tick_values(vmin, vmax))
        if _in_view(powers, vmin, vmax) > 1:
            return powers
        decades = 10.0 ** np.arange(np.floor(np.log10(vmin)), np.log10(vmax) + 1)
        finer = np.outer(decades, (1, 2, 5)).ravel()
        few = MaxNLocator(4, steps=(1, 2, 5, 10))
        return finer if _in_view(finer, vmin, vmax) > 1 else np.asarray(few.tick_values(vmin, vmax))


def _in_view(ticks: np.ndarray, vmin: float, vmax: float) -> int:
    return np.count_nonzero((ticks >= vmin) & (ticks <= vmax))


class _Numbers(LogFormatterMathtext):
    """Powers of ten by their exponents, and plain numbers where there are others among the ticks."""

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        exponents = np.log10(values)
        if np.allclose(exponents, np.round(exponents)):
            return super().format_ticks(values)
        return [_plain(value) for value in values]


def _plain(value: float) -> str:
    return f"{value:g}".replace("-", "−")
