"""FedPD's Theorem 1 and Table 2: how much communication may be skipped."""

import math
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from made_results import GAP, made_experiment, made_run

from fedatlas.report.drawing import theme
from fedatlas.report.model.figure import Figure, Panel
from fedatlas.report.overviews import overview
from fedatlas.report.theory import fedpd_skipping as savings

PANEL = Panel(metric="stationarity_gap", split="train", scale="log")


def printed(p, eta=savings.ETA):
    """C(p) as Remark 3 prints it, L = 1."""
    c3 = (p * (1 + eta) + eta) / (1 - eta)
    above = (1 - c3 ** (1 / (1 - p))) ** 2 * p * (p**2 * (3 + eta) ** 2 + 4)
    return eta * above / (1 - 2 * eta - p * (1 + eta)) ** 2


@pytest.mark.parametrize("p", [0.0, 0.1, 0.4, 0.59, 0.61, 0.8, 0.95])
def test_the_bound_is_the_one_that_the_paper_prints(p):
    assert savings.bound(p) == pytest.approx(printed(p), rel=1e-9)


def test_the_bound_has_no_gap_where_the_paper_divides_by_zero():
    """C3 is one at the end of Table 2's first range; the limit is eta/(1 - eta)^2 p (...) / (1 - p)^2."""
    p, eta = savings.TURN, savings.ETA
    limit = eta / (1 - eta) ** 2 * p * (p**2 * (3 + eta) ** 2 + 4) / (1 - p) ** 2
    assert savings.bound(p) == pytest.approx(limit, rel=1e-6)
    assert savings.bound(p - 1e-6) < savings.bound(p) < savings.bound(p + 1e-6)


@pytest.mark.parametrize("ratio", [1e-3, 0.5, 10.0, 1e4, 1e8])
def test_the_largest_skip_meets_the_bound_and_no_larger_one_does(ratio):
    p = savings.largest_skip(ratio)
    assert savings.bound(p) <= ratio / 3 < savings.bound(p + 1e-6)


def test_the_relation_is_linear_for_heterogeneous_and_logarithmic_for_homogeneous_clients():
    """The caption of Figure 1."""
    small = [savings.largest_skip(ratio) / ratio for ratio in (1e-6, 1e-5, 1e-4)]
    assert small == pytest.approx([small[0]] * 3, rel=1e-3)
    large = [(1 - savings.largest_skip(ratio)) * math.log(ratio) for ratio in (1e40, 1e80, 1e160)]
    c3 = (1 + 2 * savings.ETA) / (1 - savings.ETA)
    assert large[-1] == pytest.approx(2 * math.log(c3), rel=0.05)
    assert abs(large[2] - 2 * math.log(c3)) < abs(large[1] - 2 * math.log(c3)) < abs(large[0] - 2 * math.log(c3))


def test_table_2_inverts_its_own_approximations():
    """p = 1/(36 eta) eps/delta^2 solves 12 eta p = eps/(3 delta^2); the second row solves 14 eta e^(2/(1-p))."""
    p = savings.linear(0.5)
    assert 12 * savings.ETA * p == pytest.approx(0.5 / 3)
    p = savings.logarithmic(1e5)
    assert 14 * savings.ETA * math.exp(2 / (1 - p)) == pytest.approx(1e5 / 3)


GAPS = [1e-8, 1e-5, 1e-2]
RULE = {"metric": "stationarity_gap", "split": "train", "best": "lowest", "over_last": 1}


def weak(gaps, kept=None):
    grid = [{"skip": 0.0}, {"skip": 0.25}, {"skip": 0.5}]
    run = made_run("fedpd", {GAP: gaps}, grid=grid, name="weak", own={"spec": {"select": RULE}})
    return made_experiment("fedpd/figure_2a", replace(run, kept_scores=kept))


@pytest.mark.parametrize(
    "results",
    [weak([[1, gap] for gap in GAPS]), weak([[1, GAPS[0]]], tuple(GAPS))],
    ids=["own", "published, with the curve of the selected one only"],
)
def test_what_was_measured_is_the_largest_share_that_meets_the_target(results):
    found = savings.measured(results, PANEL)
    steps = found.largest(np.array([1e-9, 1e-7, 1e-5, 1e-3, 1.0]))
    assert math.isnan(steps["skip"][0])
    assert list(steps["skip"][1:]) == [0.0, 0.25, 0.25, 0.5]
    assert savings.measured(results.only(lambda name: False), PANEL) is None


def test_the_picture_has_a_panel_more_where_something_was_measured():
    figure = Figure(id="Figure 1", about="a", panels=(PANEL,))
    for results, panels in (({}, 2), ({"figure_2a": weak([[1, gap] for gap in GAPS])}, 3)):
        with theme.style(theme.LIGHT):
            canvas = overview("skipped_rounds").draw(results, figure, theme.LIGHT, 3)
        assert len(canvas.axes) == panels
        plt.close(canvas)


def test_the_legend_below_the_measured_panel_is_not_cut_off():
    gaps, grid = [[1, gap] for gap in GAPS], [{"skip": 0.0}, {"skip": 0.25}, {"skip": 0.5}]
    own = {"spec": {"select": RULE}}
    runs = [made_run(id, {GAP: gaps}, grid=grid, name=id, own=own) for id in ("fedpd", "fedavg", "fedprox")]
    figure = Figure(id="Figure 1", about="a", panels=(PANEL,))
    with theme.style(theme.LIGHT):
        canvas = overview("skipped_rounds").draw(
            {"figure_2a": made_experiment("fedpd/figure_2a", *runs)}, figure, theme.LIGHT, 3
        )
    legend = canvas.axes[2].get_legend()
    assert len(legend.get_texts()) == 3
    assert legend.get_window_extent(canvas.canvas.get_renderer()).y0 >= 0
    plt.close(canvas)
