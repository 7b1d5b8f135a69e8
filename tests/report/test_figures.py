"""The pictures."""

import math
import re
from pathlib import Path

import matplotlib.colors as mcolors
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from fedatlas.experiments.results import COLUMNS, Run
from fedatlas.report.figures import curves, marks, scales, sweep, theme
from fedatlas.report.figures.heat import cell, draw_heat, shared_norm
from fedatlas.report.figures.recolour import dark
from fedatlas.report.illustrations import primal_averaging
from matplotlib.colors import LogNorm

from fedatlas.algorithms import algorithms
from fedatlas.report import frames, pictures
from fedatlas.report.model.papers import Figure, Panel

NAN = math.nan

FIGURE = Figure(
    id="Figure 3",
    about="a",
    panels=({"metric": "f1", "split": "model"}, {"metric": "density", "split": "model"}),
    truth={"density": 0.5},
)


def svg(canvas, path):
    theme.save(canvas, path)
    return path.read_text()


@pytest.mark.parametrize("ground", theme.THEMES, ids=lambda ground: ground.name)
def test_every_algorithm_can_be_seen_on_the_page(ground):
    for algorithm in algorithms.values():
        assert theme._contrast(ground.readable(algorithm.colour), ground.ground) >= ground.contrast


def test_a_near_axis_leaves_out_how_a_curve_begins():
    lines = pd.DataFrame({"algorithm": "fedavg", "round": [0, 1, 2, 4], "value": [0.1, 0.8, 0.9, NAN]})
    low, high = curves._late(lines, [0.7])
    assert (low, high) == pytest.approx((0.7 - curves.MARGIN * 0.2, 0.9 + curves.MARGIN * 0.2))
    assert curves._late(lines[:1], [0.1]) == (None, None)


def test_a_curve_that_has_to_be_told_from_no_other_is_shown_from_its_beginning():
    lines = pd.DataFrame({"algorithm": "fedem", "round": [0, 3, 6], "value": [0.1, 0.3, 0.4]})
    assert curves._late(lines, []) == (None, None)
    assert curves._late(pd.concat([lines, lines.assign(algorithm="fedavg")]), []) != (None, None)


def test_a_colour_that_can_be_seen_is_left_as_it_is():
    assert theme.LIGHT.readable("#1d6fd1") == "#1d6fd1"


def test_contrast_of_black_and_white_is_21():
    assert theme._contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("ground", theme.THEMES, ids=lambda ground: ground.name)
def test_curves_show_every_algorithm_in_its_colour(evidence, ground, tmp_path):
    with theme.style(ground):
        text = svg(curves.draw(evidence, "fco/lasso_I", FIGURE, ground, columns=2), tmp_path / "f.svg")
    for algorithm in evidence.runs["fco/lasso_I"]:
        assert algorithms[algorithm].name in text
        assert mcolors.to_hex(ground.readable(algorithms[algorithm].colour)) in text
    assert "truth" in text


def test_curves_draw_the_mean_and_every_seed(evidence):
    with theme.style(theme.LIGHT):
        canvas = curves.draw(evidence, "fco/lasso_I", FIGURE, theme.LIGHT, columns=2)
    drawn = [line for line in canvas.axes[0].lines if len(line.get_xdata()) > 2]
    assert len(drawn) == 4 * (1 + 3)  # four federated algorithms, the mean and three seeds each
    assert len(canvas.axes[0].collections) == 4  # their bands
    assert canvas.axes[0].get_title(loc="left") == "F1"


def test_the_same_numbers_give_the_same_bytes(evidence, tmp_path):
    with theme.style(theme.LIGHT):
        first, second = (
            svg(curves.draw(evidence, "fco/lasso_I", FIGURE, theme.LIGHT, columns=1), tmp_path / name) for name in "ab"
        )
    assert first == second
    assert not re.search(r"<dc:date>", first)


def test_the_sweep_hatches_what_diverged_and_outlines_what_was_selected(evidence):
    with theme.style(theme.DARK):
        canvas = sweep.draw(evidence, "fco/lasso_I", theme.DARK, columns=4)
    heat = canvas.axes[0]
    run = evidence.runs["fco/lasso_I"]["feddualavg"][0]
    hatched = [patch for patch in heat.patches if patch.get_hatch()]
    assert len(hatched) == len(run.manifest.diverged) == 42
    (outline,) = [patch for patch in heat.patches if patch.get_linewidth() == 2]
    chosen = run.manifest.configurations[run.manifest.selected["configuration"]]
    columns = [label.get_text() for label in heat.get_xticklabels()]
    rows = [label.get_text() for label in heat.get_yticklabels()]
    assert columns[outline.get_x()] == f"{chosen['server_lr']:g}"
    assert rows[outline.get_y()] == f"{chosen['client_lr']:g}"


def test_the_sweep_draws_every_configuration_and_one_bold(evidence):
    with theme.style(theme.LIGHT):
        canvas = sweep.draw(evidence, "fco/lasso_I", theme.LIGHT, columns=4)
    lines = canvas.axes[1].lines
    assert len(lines) == 49
    assert sum(line.get_linewidth() == 2 for line in lines) == 1


def test_one_rate_is_a_line_and_three_are_a_heat_map(evidence):
    runs = sweep.swept(evidence, "fco/lasso_I")
    assert list(runs) == ["feddualavg", "feddualavg_osp", "fedmid", "fedmid_osp", "centralized"]
    assert sweep.varied(frames.sweep_run(runs["centralized"])) == ["client_lr"]
    with theme.style(theme.LIGHT):
        canvas = sweep.draw(evidence, "fco/lasso_I", theme.LIGHT, columns=4)
    profile = canvas.axes[8]
    assert profile.get_xscale() == "log"
    assert len(profile.lines[0].get_xdata()) == 9


def test_a_sweep_over_three_rates():
    grid = [{"a": a, "b": b, "c": c} for a in (1, 2) for b in (3, 4) for c in (5, 6, 7)]
    table = [(i, 10, -1, "train", "loss", 10.0**i) for i in range(len(grid) - 1)] + [(11, 10, -1, "train", "loss", NAN)]
    rule = {"metric": "loss", "split": "train", "best": "lowest", "over_last": 1}
    manifest = {"configurations": grid, "selected": {"configuration": 0}, "spec": {"select": rule}}
    run = Run(Path("x"), manifest, pd.DataFrame(table, columns=COLUMNS))
    with theme.style(theme.LIGHT):
        axis = plt.figure().add_subplot()
        draw_heat(axis, run, ["a", "b", "c"], shared_norm([run]), theme.LIGHT, first=True)
    assert [label.get_text() for label in axis.get_yticklabels()] == ["2, 4", "2, 3", "1, 4", "1, 3"]
    assert isinstance(axis.collections[0].norm, LogNorm)
    assert sum(bool(patch.get_hatch()) for patch in axis.patches) == 1


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


@pytest.mark.parametrize(
    ("metric", "scale", "values", "log"),
    [
        ("loss", None, [1, 1000], True), ("loss", None, [1, 10], False), ("loss", None, [0, 1000], False),
        ("loss", "linear", [1, 1000], False), ("loss", "log", [1, 2], True), ("density", None, [1e-4, 1], False),
        ("loss", None, [1, 1000, NAN, math.inf], True),
    ],
)  # fmt: skip
def test_axes_are_logarithmic_where_numbers_span_decades(metric, scale, values, log):
    assert scales.is_log(values, Panel(metric=metric, split="train", scale=scale)) is log


def test_curves_that_span_decades_are_drawn_on_a_logarithmic_axis(evidence):
    figure = FIGURE.model_copy(update={"panels": (Panel(metric="loss", split="train"),)})
    with theme.style(theme.LIGHT):
        canvas = curves.draw(evidence, "fco/lasso_I", figure, theme.LIGHT, columns=2)
    assert canvas.axes[0].get_yscale() == "linear"  # from 18 to 0.1


def test_a_figure_shows_the_algorithms_that_it_names(evidence):
    figure = FIGURE.model_copy(update={"algorithms": ("fedmid", "feddualavg")})
    assert list(frames.shown(evidence, "fco/lasso_I", figure).runs["fco/lasso_I"]) == ["fedmid", "feddualavg"]


def test_the_dark_picture_is_the_light_one_recoloured(evidence):
    for draw in (pictures.of_figure(evidence, "fco/lasso_I", FIGURE), pictures.of_sweep(evidence, "fco/lasso_I")):
        drawn = {}
        for ground in theme.THEMES:
            with theme.style(ground):
                drawn[ground.name] = theme.svg(draw(ground, 2))
        assert without_ids(dark(drawn["light"])) == without_ids(drawn["dark"])


def without_ids(picture):
    """Names that matplotlib makes from what they name, colours included."""
    return re.sub(rb'(id="|#|url\(#)[a-z][0-9a-f]{10}\b', b"", picture)


def test_no_two_light_colours_that_mean_different_things_are_one():
    lines = {theme.LIGHT.readable(one.colour) for one in algorithms.values()}
    assert len({theme.LIGHT.ink, theme.LIGHT.faint, theme.LIGHT.grid, theme.LIGHT.ground, theme.LIGHT.warn}) == 5
    dark_of = {theme.LIGHT.readable(one.colour): theme.DARK.readable(one.colour) for one in algorithms.values()}
    assert all(dark_of[theme.LIGHT.readable(a.colour)] == theme.DARK.readable(a.colour) for a in algorithms.values())
    assert lines.isdisjoint({theme.LIGHT.faint, theme.LIGHT.grid, theme.LIGHT.ground, theme.LIGHT.warn})


def test_a_picture_of_stand_in_data_says_so(evidence):
    with theme.style(theme.LIGHT):
        canvas = marks.mark(plt.figure(layout="constrained"), "stand-in", theme.LIGHT)
        assert canvas.get_supxlabel() == "STAND-IN DATA, not the paper's"
        assert marks.mark(plt.figure(), "stand-in", theme.LIGHT).texts[0].get_text() == canvas.get_supxlabel()
        assert marks.mark(plt.figure(), "real", theme.LIGHT).texts == []


def test_averaging_models_fills_in_zeros():
    """The same for other seeds: what is shown is no lucky draw."""
    for seed in range(10):
        densities = primal_averaging(seed).densities
        clients = max(densities["client 1"], densities["client 2"])
        assert densities["average of the models"] > clients > densities["model of the averaged duals"]
