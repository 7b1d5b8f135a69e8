"""The pictures."""

import itertools
import math
import re
from dataclasses import replace

import matplotlib.colors as mcolors
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from made_results import made_experiment, made_run
from matplotlib.colors import LogNorm

from fedatlas.algorithms import algorithms
from fedatlas.report.drawing import theme
from fedatlas.report.drawing.legend import mark_stand_in
from fedatlas.report.drawing.svg import svg
from fedatlas.report.model.figure import Figure, Panel
from fedatlas.report.theory.primal_averaging import primal_averaging
from fedatlas.report.views import curves, view
from fedatlas.report.views._heat import cell, draw_heat, shared_norm, tick

NAN = math.nan

FIGURE = Figure(
    id="Figure 3",
    about="a",
    panels=({"metric": "f1", "split": "model"}, {"metric": "density", "split": "model"}),
    truth={"density": 0.5},
)


@pytest.fixture(scope="module")
def lasso(evidence):
    return evidence["fco/lasso_I"]


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


def test_curves_show_every_algorithm_in_its_colour(lasso):
    with theme.style(theme.LIGHT):
        text = svg(view("curves").draw(lasso, FIGURE, theme.LIGHT, 2)).decode()
    for entry in lasso.runs:
        assert lasso.names[entry] in text
        for ground in theme.THEMES:
            assert mcolors.to_hex(ground.readable(lasso.colours[entry])) in text
    assert "truth" in text


def test_curves_draw_the_mean_and_every_seed(lasso):
    with theme.style(theme.LIGHT):
        canvas = view("curves").draw(lasso, FIGURE, theme.LIGHT, 2)
    drawn = [line for line in canvas.axes[0].lines if len(line.get_xdata()) > 2]
    seeds = len(lasso.runs["fedmid"])
    assert len(drawn) == 4 * (1 + seeds)  # four federated algorithms, the mean and every seed of each
    assert len(canvas.axes[0].collections) == 4  # their bands
    assert canvas.axes[0].get_title(loc="left") == "F1"
    plt.close(canvas)


@pytest.fixture
def with_a_lost_seed():
    """FedMid ends at 2 and 4, and is lost on its way to infinity with a third seed; FedDualAvg is lost with both."""
    loss = ("train", "loss")
    lost = [5.0, 1e30, NAN]
    ends = {"fedmid": [[5.0, 3.0, 2.0], lost, [5.0, 4.5, 4.0]], "feddualavg": [lost, lost]}
    runs = [
        made_run(name, {loss: [values]}, own={"seed": seed})
        for name, by_seed in ends.items()
        for seed, values in enumerate(by_seed)
    ]
    return made_experiment("fco/lasso_I", *runs)


LOSS = Figure(id="Figure 3", about="a", panels=({"metric": "loss", "split": "train"},))


def test_a_seed_that_diverges_takes_neither_the_mean_nor_the_axis_of_the_others(with_a_lost_seed):
    runs, panel = with_a_lost_seed, LOSS.panels[0]
    assert runs.lost(panel) == {"fedmid": [1]}
    assert {name: list(seeds) for name, seeds in runs.without_lost(panel).runs.items()} == {
        "fedmid": [0, 2], "feddualavg": [0, 1]
    }  # fmt: skip
    canvas, axis = plt.subplots()
    only_fedmid = runs.only(lambda name: name == "fedmid")
    view("curves").draw_panel(axis, only_fedmid, LOSS, panel, theme.LIGHT)
    drawn = [list(line.get_ydata()) for line in axis.lines]
    plt.close(canvas)
    assert drawn == [[5, 3, 2], [5, 4.5, 4], [5, 3.75, 3]]


def test_the_caption_names_the_seed_that_is_not_drawn(with_a_lost_seed):
    caption = view("curves").caption(with_a_lost_seed, LOSS)
    assert "; fedmid is drawn without seed 1, with which it diverges." in caption
    assert "feddualavg" not in caption


def test_the_explorer_leaves_out_the_same_seed(with_a_lost_seed):
    (rows,) = view("curves").chart(with_a_lost_seed, LOSS)["spec"]["datasets"].values()
    assert {(row["algorithm"], row["seed"]) for row in rows} == {
        ("fedmid", 0), ("fedmid", 2), ("feddualavg", 0), ("feddualavg", 1)
    }  # fmt: skip


def test_labels_of_powers_of_ten_stay_in_the_file(lasso):
    figure = FIGURE.model_copy(update={"panels": (Panel(metric="loss", split="train", scale="log"),), "truth": {}})
    with theme.style(theme.LIGHT):
        text = svg(view("curves").draw(lasso, figure, theme.LIGHT, 2)).decode()
    assert re.search(r"<tspan[^>]*>1</tspan><tspan[^>]*>0</tspan>", text)


def test_a_picture_follows_the_theme_of_the_page(lasso):
    """No colour of the light theme is left outside the file's own style, and dark pages get the dark ones."""
    for kind in ("curves", "sweep"):
        with theme.style(theme.LIGHT):
            text = svg(view(kind).draw(lasso, FIGURE, theme.LIGHT, 2)).decode()
        style, rest = re.fullmatch(r"(.*?</style>)(.*)", text, re.DOTALL).groups()
        inks = {getattr(theme.LIGHT, name) for name in theme.INKS}
        assert not inks & set(re.findall("#[0-9a-f]{6}", rest))
        light, dark = re.search(r"svg{(.*?)}@media\(prefers-color-scheme:dark\){svg{(.*?)}}", style).groups()
        pairs = dict(zip(re.findall("#.{6}", light), re.findall("#.{6}", dark), strict=True))
        assert pairs[theme.LIGHT.faint] == theme.DARK.faint


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
    rule = {"metric": "loss", "split": "train", "best": "lowest", "over_last": 1}
    curves = {("train", "loss"): [[10.0**i] for i in range(len(grid) - 1)] + [[NAN]]}
    run = made_run("fedavg", curves, grid=grid, own={"spec": {"select": rule}})
    with theme.style(theme.LIGHT):
        axis = plt.figure().add_subplot()
        draw_heat(axis, run, shared_norm([run]), theme.LIGHT, lowest=True)
    assert [label.get_text() for label in axis.get_yticklabels()] == ["2, 4", "2, 3", "1, 4", "1, 3"]
    assert [label.get_text() for label in axis.get_xticklabels()] == ["5", "6", "7"]
    assert isinstance(axis.collections[0].norm, LogNorm)
    assert sum(bool(patch.get_hatch()) for patch in axis.patches) == 1


def test_labels_that_would_touch_are_left_out():
    rates = (0.001, 0.00316, 0.01, 0.0316, 0.1, 0.316, 1)
    grid = [{"a": a, "b": b} for a in (1, 2) for b in rates]
    rule = {"metric": "loss", "split": "train", "best": "lowest", "over_last": 1}
    curves = {("train", "loss"): [[1.0 + i] for i in range(len(grid))]}
    run = made_run("fedavg", curves, grid=grid, own={"spec": {"select": rule}})
    with theme.style(theme.LIGHT):
        axis = plt.figure().add_subplot()
        draw_heat(axis, run, shared_norm([run]), theme.LIGHT, lowest=True)
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


def test_curves_that_span_less_than_decades_are_drawn_on_a_linear_axis(lasso):
    figure = FIGURE.model_copy(update={"panels": (Panel(metric="loss", split="train"),)})
    with theme.style(theme.LIGHT):
        canvas = view("curves").draw(lasso, figure, theme.LIGHT, 2)
    assert canvas.axes[0].get_yscale() == "linear"  # from 18 to 0.1


def test_a_figure_shows_the_algorithms_that_it_names(lasso):
    assert list(lasso.shown(("fedmid", "feddualavg")).runs) == ["fedmid", "feddualavg"]


def test_methods_and_their_momentum_variants_differ_on_dark_pages_too():
    for plain, momentum in (
        ("fedavg", "fedavgm"),
        ("fedadagrad", "fedadam"),
        ("fedduadagrad", "fedduadam"),
        ("fedexp", "fedexpm"),
    ):
        first, second = (mcolors.to_rgb(theme.DARK.readable(algorithms[name].colour)) for name in (plain, momentum))
        assert math.dist(first, second) > 0.2, (plain, momentum)


def test_no_two_light_colours_that_mean_different_things_are_one():
    lines = {theme.LIGHT.readable(one.colour) for one in algorithms.values()}
    assert len({theme.LIGHT.ink, theme.LIGHT.faint, theme.LIGHT.grid, theme.LIGHT.ground, theme.LIGHT.warn}) == 5
    dark_of = {theme.LIGHT.readable(one.colour): theme.DARK.readable(one.colour) for one in algorithms.values()}
    assert all(dark_of[theme.LIGHT.readable(a.colour)] == theme.DARK.readable(a.colour) for a in algorithms.values())
    assert lines.isdisjoint({theme.LIGHT.faint, theme.LIGHT.grid, theme.LIGHT.ground, theme.LIGHT.warn})


def test_a_picture_of_stand_in_data_says_so():
    canvas = mark_stand_in(plt.figure(), theme.LIGHT)
    assert canvas.texts[0].get_text() == "STAND-IN DATA"
    plt.close(canvas)


def test_averaging_models_fills_in_zeros():
    """The same for other seeds: what is shown is no lucky draw."""
    for seed in range(10):
        densities = primal_averaging(seed).densities
        clients = max(densities["client 1"], densities["client 2"])
        assert densities["average of the models"] > clients > densities["model of averaged duals"]
