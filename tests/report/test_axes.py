"""Axes and legends of pictures."""

import math

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from fedatlas.report.drawing import theme
from fedatlas.report.drawing.axis_scales import HUGE, drawable, is_log, set_log
from fedatlas.report.drawing.legend import LegendEntry, legend_above
from fedatlas.report.model.figure import Panel

NAN = math.nan


def test_a_curve_on_its_way_to_infinity_leaves_the_axis_finite():
    canvas, axis = plt.subplots()
    axis.plot(drawable(pd.Series([1.0, 1e5, -1e200, 1e307, math.inf])))
    set_log(axis)
    assert axis.get_ylim()[1] < HUGE
    plt.close(canvas)


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0.02, 3, ["$\\mathdefault{10^{-1}}$", "$\\mathdefault{10^{0}}$"]),
        (0.3, 4, ["0.5", "1", "2"]),
        (1.35, 2.3, ["1.5", "2"]),
        (2.9e-5, 4.6e-5, ["3e−05", "3.5e−05", "4e−05", "4.5e−05"]),
    ],
)
def test_a_logarithmic_axis_has_two_labels_or_more(low, high, labels):
    canvas, axis = plt.subplots(figsize=(4, 1.2))
    set_log(axis)
    axis.set_ylim(low, high)
    canvas.draw_without_rendering()
    drawn = [tick.label1.get_text() for tick in axis.yaxis.get_major_ticks() if low <= tick.get_loc() <= high]
    assert drawn == labels
    plt.close(canvas)


def test_a_legend_with_one_long_name_stays_inside_its_picture():
    names = ["DualFL", "FedPD", "FedDR", "FedDR, α = 1.9", "FedDyn", "FedDualAvg", "Scaffnew", "Scaffnew, p = 0.01",
             "APDA-Inexact", "5GCS", "FedAvg", "FedCM", "FedSAM", "SCAFFOLD",
             "(1 − √ρ)ⁿ, ρ = 0.003", "1/n²"]  # fmt: skip
    with theme.style(theme.LIGHT):
        canvas = plt.figure(figsize=(5.6, 4))
        legend_above(canvas, [LegendEntry(name, "black") for name in names], theme.LIGHT, 5.6)
        canvas.draw_without_rendering()
    assert canvas.legends[0].get_window_extent().x1 < canvas.bbox.x1
    plt.close(canvas)


@pytest.mark.parametrize(
    ("metric", "scale", "values", "log"),
    [
        ("loss", None, [1, 1000], True), ("loss", None, [1, 10], False), ("loss", None, [0, 1000], False),
        ("loss", "linear", [1, 1000], False), ("loss", "log", [1, 2], True), ("density", None, [1e-4, 1], False),
        ("loss", None, [1, 1000, NAN, math.inf], True),
    ],
)  # fmt: skip
def test_axes_are_logarithmic_where_numbers_span_decades(metric, scale, values, log):
    assert is_log(values, Panel(metric=metric, split="train", scale=scale)) is log
