"""The pictures of sweeps."""

import itertools
import math
from dataclasses import replace

import matplotlib.pyplot as plt
import pytest
from made_results import made_experiment, made_run
from matplotlib.colors import LogNorm

from fedatlas.report.drawing import theme
from fedatlas.report.model.figure import Figure
from fedatlas.report.views import view
from fedatlas.report.views._heat import cell, draw_heat, shared_norm, tick

NAN = math.nan
FIGURE = Figure(id="Figure 3", about="a", panels=({"metric": "f1", "split": "model"},))


def heat_of(grid, losses):
    """The axis of a heat map of a grid's losses."""
    rule = {"metric": "loss", "split": "train", "best": "lowest", "over_last": 1}
    curves = {("train", "loss"): [[loss] for loss in losses]}
    run = made_run("fedavg", curves, grid=grid, own={"spec": {"select": rule}})
    with theme.style(theme.LIGHT):
        axis = plt.figure().add_subplot()
        draw_heat(axis, run, shared_norm([run]), theme.LIGHT, lowest=True)
    return axis


def test_the_sweep_hatches_what_diverged_and_outlines_what_was_selected(lasso):
    with theme.style(theme.DARK):
        canvas = view("sweep").draw(lasso, FIGURE, theme.DARK, 4)
    heat = canvas.axes[0]
    run = lasso.sweep_run("feddualavg")
    hatched = [patch for patch in heat.patches if patch.get_hatch()]
    assert len(hatched) == len(run.manifest.diverged) == 42
    (outline,) = [patch for patch in heat.patches if patch.get_linewidth() == 2]
    chosen = run.configuration
    columns = [label.get_text() for label in heat.get_xticklabels()]
    rows = [label.get_text() for label in heat.get_yticklabels()]
    assert columns[int(outline.get_x())] == f"{chosen['server_lr']:g}"
    assert rows[int(outline.get_y())] == f"{chosen['client_lr']:g}"


def test_the_sweep_draws_every_configuration_and_one_bold(lasso):
    with theme.style(theme.LIGHT):
        canvas = view("sweep").draw(lasso, FIGURE, theme.LIGHT, 4)
    lines = canvas.axes[4].lines  # below the four scores of the first row
    assert len(lines) == 49
    assert sum(line.get_linewidth() == 2 for line in lines) == 1


def test_long_names_and_scores_close_together_leave_the_titles_of_a_sweep_whole():
    rates = [{"client_lr": rate} for rate in (0.1, 1, 10)]
    f1 = {("model", "f1"): [[0, 0.53461 + 1e-5 * place] for place in range(len(rates))]}
    names = [f"clients with {number} examples of their own" for number in (400, 200, 100)]
    own = {"spec": {"select": {"metric": "f1", "split": "model", "best": "highest", "over_last": 1}}}
    ids = ("feddualavg", "fedmid", "fedmid_osp")
    runs = [made_run(id, f1, grid=rates, own=own, name=name) for id, name in zip(ids, names, strict=True)]
    with theme.style(theme.LIGHT):
        canvas = view("sweep").draw(made_experiment("fco/lasso_I", *runs), FIGURE, theme.LIGHT, 4)
        canvas.draw_without_rendering()
    titles = [axis._left_title for axis in canvas.axes if axis.get_title(loc="left")]
    assert [title.get_text().replace("\n", " ") for title in titles] == names
    boxes = [title.get_window_extent() for title in titles]
    assert all(box.x1 < canvas.bbox.x1 and box.y1 < canvas.bbox.y1 for box in boxes)
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    plt.close(canvas)


def test_a_small_power_of_ten_is_written_shortly_beside_a_heat_map():
    assert [tick(value) for value in (0, 1e-4, 0.000316, 0.001, 0.0316, 10)] == [
        "0", "1e−4", "0.000316", "0.001", "0.0316", "10"
    ]  # fmt: skip


def test_one_rate_is_a_line_and_two_are_a_heat_map(lasso):
    table = view("sweep").table(lasso, FIGURE)
    assert [*table["algorithm"].unique()] == ["feddualavg", "feddualavg_osp", "fedmid", "fedmid_osp", "centralized"]
    assert lasso.sweep_run("centralized").varied == ["client_lr"]
    with theme.style(theme.LIGHT):
        canvas = view("sweep").draw(lasso, FIGURE, theme.LIGHT, 4)
    profile = next(axis for axis in canvas.axes if axis.get_title(loc="left") == "centralized")
    assert profile.get_xscale() == "log"
    assert len(profile.lines[0].get_xdata()) == 3
    heat = [axis.collections[0].norm for axis in canvas.axes if axis.get_visible() and axis.collections]
    best = max(lasso.sweep_run(name).scores.max() for name in ("feddualavg", "feddualavg_osp", "fedmid", "fedmid_osp"))
    assert [(norm.vmin, norm.vmax) for norm in heat] == [(0, best)] * 4  # centralized, by another rule, has large ones
    plt.close(canvas)


def test_a_published_sweep_shows_its_scores_without_curves(lasso):
    kept = {
        name: {seed: replace(run, kept_scores=tuple(run.scores)) for seed, run in by_seed.items() if run.is_sweep}
        for name, by_seed in lasso.runs.items()
    }
    with theme.style(theme.LIGHT):
        canvas = view("sweep").draw(replace(lasso, runs=kept), FIGURE, theme.LIGHT, 4)
    assert sum(axis.get_visible() for axis in canvas.axes) == len(kept)
    plt.close(canvas)


def test_a_sweep_over_three_rates():
    grid = [{"a": a, "b": b, "c": c} for a in (1, 2) for b in (3, 4) for c in (5, 6, 7)]
    axis = heat_of(grid, [10.0**i for i in range(len(grid) - 1)] + [NAN])
    assert [label.get_text() for label in axis.get_yticklabels()] == ["2, 4", "2, 3", "1, 4", "1, 3"]
    assert [label.get_text() for label in axis.get_xticklabels()] == ["5", "6", "7"]
    assert isinstance(axis.collections[0].norm, LogNorm)
    assert sum(bool(patch.get_hatch()) for patch in axis.patches) == 1


def test_labels_that_would_touch_are_left_out():
    rates = (0.001, 0.00316, 0.01, 0.0316, 0.1, 0.316, 1)
    grid = [{"a": a, "b": b} for a in (1, 2) for b in rates]
    axis = heat_of(grid, [1.0 + i for i in range(len(grid))])
    assert [label.get_text() for label in axis.get_xticklabels()] == ["0.001", "0.01", "0.1", "1"]
    assert [*axis.get_xticks()] == [0.5, 2.5, 4.5, 6.5]


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (0, ".00"),
        (0.974, ".97"),
        (0.0004, "4e−4"),
        (1, "1"),
        (3.14159, "3.1"),
        (312.4, "312"),
        (123456, "1e5"),
        (NAN, ""),
    ],
)
def test_cells_are_short(score, words):
    assert cell(score) == words
