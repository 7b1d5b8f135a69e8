"""The pictures."""

import re

import matplotlib.colors as mcolors
import pytest

from fedatlas.algorithms import algorithms
from fedatlas.report.figures import curves, sweep, theme
from fedatlas.report.papers import Figure

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
    assert len(hatched) == len(run.manifest["diverged"]) == 42
    (outline,) = [patch for patch in heat.patches if patch.get_linewidth() == 2]
    chosen = run.manifest["configurations"][run.manifest["selected"]["configuration"]]
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


def test_baselines_without_two_rates_are_not_in_the_heat_maps(evidence):
    assert set(sweep.swept(evidence, "fco/lasso_I")) == {"feddualavg", "feddualavg_osp", "fedmid", "fedmid_osp"}
