"""The pictures."""

import math
import re

import matplotlib.colors as mcolors
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from made_results import made_experiment, made_run

from fedatlas.algorithms import algorithms
from fedatlas.report.drawing import theme
from fedatlas.report.drawing.legend import mark_stand_in
from fedatlas.report.drawing.svg import svg
from fedatlas.report.model.figure import Figure, Panel
from fedatlas.report.theory.primal_averaging import primal_averaging
from fedatlas.report.views import curves, view

NAN = math.nan

FIGURE = Figure(
    id="Figure 3",
    about="a",
    panels=({"metric": "f1", "split": "model"}, {"metric": "density", "split": "model"}),
    truth={"density": 0.5},
)


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


def test_curves_draw_the_mean_and_every_seed_that_is_scored(lasso):
    with theme.style(theme.LIGHT):
        canvas = view("curves").draw(lasso, FIGURE, theme.LIGHT, 2)
    drawn = [line for line in canvas.axes[0].lines if len(line.get_xdata()) > 2]
    seeds = len(lasso.scored("fedmid"))
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


def test_the_caption_names_it_if_another_panel_than_the_first_leaves_it_out(with_a_lost_seed):
    panels = tuple(LOSS.panels[0].model_copy(update={"algorithms": (name,)}) for name in ("feddualavg", "fedmid"))
    caption = view("curves").caption(with_a_lost_seed, LOSS.model_copy(update={"panels": panels}))
    assert "; fedmid is drawn without seed 1, with which it diverges." in caption


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
