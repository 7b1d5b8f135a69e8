"""Scores against a hyper-parameter, and panels of some algorithms or experiments."""

import io
import math
from dataclasses import replace

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from made_results import made_experiment, made_results, made_run

from fedatlas.report.drawing import theme
from fedatlas.report.model.figure import Figure, Panel
from fedatlas.report.overviews import overview
from fedatlas.report.views import view
from fedatlas.report.views.sensitivity import _label, positions
from fedatlas.results.published.write import sweep_table

NAN, KEY = math.nan, "feddua/sensitivity"
LOSS = ("train", "loss")
RULE = {"metric": "loss", "split": "train", "best": "lowest", "over_last": 1}
GRID = [{"client_lr": rate, "eps_g": eps} for eps in (0.01, 0, 0.1) for rate in (1, 2)]
PANEL = Panel(metric="loss", split="train", title="against ε_g", along="eps_g")
FIGURE = Figure(id="Figure 2", about="a", panels=(PANEL,))


def run(algorithm, levels, seed=0, grid=GRID, **look):
    own = {"spec": {"select": RULE}, "seed": seed}
    return made_run(algorithm, {LOSS: [[1.0, level] for level in levels]}, grid=grid, own=own, **look)


def results(*runs):
    return made_experiment(KEY, *runs)


def test_a_score_is_the_best_over_the_other_hyper_parameters_and_the_mean_over_seeds():
    """Of client rates 1 and 2, the second is better with eps_g = 0 on average, though not on the first seed."""
    first, second = run("fedexp", [5, 9, 1, 2, 7, NAN]), run("fedexp", [5, 9, 5, 2, 7, NAN], seed=1)
    table = results(first, second).sensitivity("fedexp", "eps_g")
    assert table["value"].to_list() == [0, 0.01, 0.1]
    assert table["score"].to_list() == [2, 5, 7]
    assert table.loc[0, ["least", "greatest"]].to_list() == [2, 2]


def test_a_value_with_which_nothing_converges_has_no_score():
    table = results(run("fedexp", [NAN, NAN, 1, 2, 7, 8])).sensitivity("fedexp", "eps_g")
    assert table["score"].isna().to_list() == [False, True, False]


def test_zero_stands_before_the_least_value_with_room_for_both_labels():
    assert positions([0.1, 0, 0.001]) == pytest.approx({0: -4, 0.001: -3, 0.1: -1})
    assert positions([0, 1e-9, 0.1]) == pytest.approx({0: -11, 1e-9: -9, 0.1: -1})  # room for '0' and '1e−9'
    assert positions([1, 10]) == {1: 0, 10: 1}


def test_small_values_are_written_shortly():
    assert [_label(value) for value in (0, 1e-9, 1e-6, 0.001, 10, 1e6)] == ["0", "1e−9", "1e−6", "0.001", "10", "1e6"]


def test_what_is_zero_is_no_line_to_the_bottom_of_a_logarithmic_axis():
    """The server has taken no step before the first round."""
    rate = ("model", "server_rate")
    shown = results(made_run("fedexp", {rate: [[0.0, 10.0, 1000.0]]}))
    figure = Figure(id="Figure 7", about="a", panels=(Panel(metric=rate[1], split=rate[0], scale="log"),))
    with theme.style(theme.LIGHT):
        canvas = view("curves").draw(shown, figure, theme.LIGHT, 1)
    assert not math.isfinite(canvas.axes[0].yaxis.get_transform().transform([0.0])[0])
    plt.close(canvas)


def test_a_panel_draws_the_algorithms_that_vary_its_hyper_parameter():
    fixed = [{"client_lr": 1, "server_lr": rate} for rate in (1, 2, 3)]
    shown = results(run("fedexp", [5, 9, 1, 2, 7, 8]), run("fedadagrad", [1, 2, 3], grid=fixed))
    other = PANEL.model_copy(update={"along": "server_lr"})
    for panel, expected in ((PANEL, {"fedexp"}), (other, {"fedadagrad"})):
        assert set(view("sensitivity").panel_table(shown, FIGURE, panel)["algorithm"]) == expected
    with theme.style(theme.LIGHT):
        canvas = view("sensitivity").draw(shown, FIGURE, theme.LIGHT, 2)
    (line,) = [line for line in canvas.axes[0].lines if len(line.get_xdata()) > 2]
    assert list(line.get_ydata()) == [1, 5, 7]
    assert [tick.get_text() for tick in canvas.axes[0].get_xticklabels()] == ["0", "0.01", "0.1"]
    assert canvas.axes[0].get_title(loc="left") == "Train loss, against ε_g"
    plt.close(canvas)


def test_the_words_and_the_interactive_view_hold_the_numbers():
    shown = results(run("fedexp", [5, 9, 1, 2, 7, 8], name="FedExP"))
    assert view("sensitivity").alt(shown, FIGURE) == "Lines of train loss against ε_g: FedExP 0: 1, 0.01: 5, 0.1: 7."
    explorer = view("sensitivity").chart(shown, FIGURE)
    (rows,) = explorer["spec"]["datasets"].values()
    assert [(row["setting"], row["score"]) for row in rows] == [("0", 1), ("0.01", 5), ("0.1", 7)]
    assert explorer["choices"][0] == ("against", "along", [("eps_g", "ε_g")])


def test_sweeps_of_several_seeds_are_published_by_seed():
    both = run("fedexp", range(6)), run("fedexp", range(6, 12), seed=1)
    table = pd.read_csv(io.StringIO(sweep_table(results(*both))))
    assert table.query("seed == 1")["score"].to_list() == list(range(6, 12))
    one = pd.read_csv(io.StringIO(sweep_table(results(both[0]))))
    assert "seed" not in one


def test_published_scores_stand_for_the_curves():
    published = replace(run("fedexp", [1.0] * 6), kept_scores=(5, 9, 1, 2, 7, NAN))
    assert results(published).sensitivity("fedexp", "eps_g")["score"].to_list() == [1, 5, 7]


def by_id(results):
    return {own.experiment.id: own for own in results.experiments.values()}


TWO = Figure(
    id="Figure 1",
    about="a",
    side_by_side={"cifar10": "CIFAR-10", "synthetic": "synthetic"},
    panels=(
        Panel(metric="accuracy", split="test", title="plain", algorithms=("fedavg",), of=("cifar10",)),
        Panel(metric="accuracy", split="test", title="momentum", algorithms=("fedavgm",), of=("cifar10",)),
        Panel(metric="loss", split="train", title="plain", algorithms=("fedavg",), of=("synthetic",)),
    ),
)


def test_panels_of_some_experiments_and_some_algorithms_side_by_side():
    accuracy = {("test", "accuracy"): [[0, 0.5, 0.6]], LOSS: [[3, 2, 1]]}
    runs = [made_run(name, accuracy, name=name) for name in ("fedavg", "fedavgm")]
    shown = made_results({"feddua/cifar10": runs, "feddua/synthetic": runs})
    assert [panel.metric for panel in TWO.measures] == ["accuracy", "loss"]
    with theme.style(theme.LIGHT):
        canvas = overview("side_by_side").draw(by_id(shown), TWO, theme.LIGHT, 3)
    drawn = {
        axis.get_title(loc="left"): [list(line.get_ydata()) for line in axis.lines if len(line.get_ydata())]
        for axis in canvas.axes
        if axis.get_visible()
    }
    assert drawn == {
        "CIFAR-10, plain": [[0, 0.5, 0.6]],
        "CIFAR-10, momentum": [[0, 0.5, 0.6]],
        "synthetic, plain": [[3, 2, 1]],
    }
    assert [axis.get_ylabel() for axis in canvas.axes] == ["test accuracy", "train loss", "test accuracy", ""]
    plt.close(canvas)


def test_a_band_of_experiments_is_as_high_as_its_own_panels():
    accuracy = {("test", "accuracy"): [[0, 0.5, 0.6]], LOSS: [[3, 2, 1]]}
    runs = [made_run(name, accuracy, name=name) for name in ("fedavg", "fedavgm")]
    ids = ["cifar10", "synthetic", "femnist", "cifar100"]  # two in a band, and the first alone has two panels
    panels = (*TWO.panels[:2], TWO.panels[2].model_copy(update={"of": tuple(ids[1:])}))
    figure = TWO.model_copy(update={"side_by_side": {id: id for id in ids}, "panels": panels})
    with theme.style(theme.LIGHT):
        canvas = overview("side_by_side").draw(
            by_id(made_results({f"feddua/{id}": runs for id in ids})), figure, theme.LIGHT, 3
        )
    shown = [[axis.get_title(loc="left") for axis in canvas.axes[row : row + 2]] for row in (0, 2, 4)]
    assert shown == [
        ["cifar10, plain", "synthetic, plain"],
        ["cifar10, momentum", ""],
        ["femnist, plain", "cifar100, plain"],
    ]
    plt.close(canvas)


def test_titles_of_panels_side_by_side_do_not_meet():
    runs = [
        made_run(name, {("test", "accuracy"): [[0, 0.5, 0.6]], LOSS: [[3, 2, 1]]}) for name in ("fedavg", "fedavgm")
    ]
    names = {"cifar10": "Shakespeare, half the roles", "cifar100": "CIFAR-100", "synthetic": "FEMNIST, medium scale"}
    panels = [
        Panel(metric="loss", split="train", title=f"with{out} momentum", algorithms=(name,))
        for out, name in (("out", "fedavg"), ("", "fedavgm"))
    ]
    figure = Figure(id="Figure 1", about="a", side_by_side=names, panels=tuple(panels))
    made = made_results({f"feddua/{id}": runs for id in names})
    with theme.style(theme.LIGHT):
        canvas = overview("side_by_side").draw(by_id(made), figure, theme.LIGHT, 3)
        canvas.canvas.draw()
    rows = [canvas.axes[:3], canvas.axes[3:6]]
    boxes = [[axis._left_title.get_window_extent() for axis in row] for row in rows]
    assert all(box.x1 < right.x0 for row in boxes for box, right in zip(row, row[1:], strict=False))
    assert all(box.x1 < canvas.bbox.x1 for row in boxes for box in row)
    plt.close(canvas)
