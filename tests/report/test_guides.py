"""Rates of the theory under measured curves, curves against costs, and experiments side by side."""

import json

import altair as alt
import matplotlib.pyplot as plt
import pytest
from made_results import ERROR, GAP, made_experiment, made_run
from pydantic import ValidationError

from fedatlas.report.drawing import theme
from fedatlas.report.model.figure import Figure, Guide
from fedatlas.report.overviews import overview
from fedatlas.report.overviews.side_by_side import balanced
from fedatlas.report.theory.reference_rates import reference_rates
from fedatlas.report.views import view

PANELS = [{"metric": "relative_energy_error", "split": "train", "scale": "log"}]
LINEAR = {"label": "rate, ρ = {rho}", "kind": "linear_rate", "rho": "selected"}
SQUARE = {"label": "1/n²", "kind": "inverse_square"}


def figure(*rates, **more):
    return Figure(id="Figure 1", about="a", panels=PANELS, guides=rates, **more)


def results(rho=0.25, values=(8.0, 4.0, 1.0, 0.5)):
    costs = {"communications": [0, 1, 1, 2], "bytes_up": [0, 1e6, 1e6, 3e6]}
    run = made_run("dualfl", {ERROR: [values]}, costs=costs, grid=[{"rho": rho}], name="DualFL")
    return made_experiment("dualfl/mnist", run)


def test_a_linear_rate_starts_at_the_curve_and_falls_by_its_factor():
    (drawn,) = reference_rates(results(), figure(LINEAR), "rounds")
    assert drawn.name == "rate, ρ = 0.25"
    assert list(drawn.curve["value"]) == [8, 4, 2, 1]  # 1 - sqrt(1/4) is a half


def test_an_inverse_square_starts_after_the_first_round():
    (drawn,) = reference_rates(results(), figure(SQUARE), "rounds")
    assert list(drawn.curve["round"]) == [1, 2, 3]
    assert list(drawn.curve["value"]) == pytest.approx([4, 1, 4 / 9])


def test_against_a_cost_a_rate_costs_what_its_run_costs():
    (drawn,) = reference_rates(results(), figure(LINEAR), "communications")
    assert list(drawn.curve["x"]) == [0, 1, 1, 2]
    assert list(drawn.curve["value"]) == [8, 4, 2, 1]  # the rounds are the theory's n


def test_there_is_no_line_for_a_rate_of_zero_nor_in_other_pictures():
    assert reference_rates(results(rho=0), figure(LINEAR), "rounds") == []
    assert reference_rates(results(), figure(LINEAR | {"of": ["cifar10"]}), "rounds") == []
    assert reference_rates(results(), figure(LINEAR | {"run": "fedpd"}), "rounds") == []


@pytest.mark.parametrize("wrong", [{"kind": "linear_rate"}, {"kind": "inverse_square", "rho": 0.1}])
def test_a_rate_needs_its_number(wrong):
    with pytest.raises(ValidationError, match="give 'rho' with the kind 'linear_rate', and only with it"):
        Guide(label="a", **wrong)


def test_curves_against_communications_stand_where_models_travelled():
    with theme.style(theme.LIGHT):
        shown = figure(LINEAR, against="communications")
        canvas = view("curves").draw(results(), shown, theme.LIGHT, 2)
    (axis,) = canvas.axes
    assert axis.get_xlabel() == "communications"
    drawn = {line.get_linestyle(): list(line.get_xdata()) for line in axis.lines if len(line.get_xdata()) > 2}
    assert drawn["-"] == drawn["--"] == [0, 1, 1, 2]
    assert [text.get_text() for text in canvas.legends[0].texts] == ["DualFL", "rate, ρ = 0.25"]
    plt.close(canvas)


def test_bytes_are_drawn_in_megabytes():
    run = results().any_run("dualfl")
    assert list(run.curve("relative_energy_error", "train", "bytes")["x"])[1:] == pytest.approx([1, 1, 3], abs=1e-4)


def test_the_explorer_opens_as_the_figure_is_drawn_and_holds_the_rates():
    found = view("curves").chart(results(), figure(LINEAR, against="communications"))
    choices = {name: [value for value, _ in options] for _, name, options in found["choices"]}
    assert choices["axis"][0] == "communications"
    assert {"rounds", "bytes", "gradients"} < set(choices["axis"])
    assert choices["metric"][0] == "train_relative_energy_error"
    assert choices["scale"] == ["log", "linear"]
    assert [one["name"] for one in found["algorithms"]] == ["DualFL", "rate, ρ = 0.25"]
    assert found["algorithms"][0]["colour"] == "var(--line-123456)"
    rows = [row for row in next(iter(found["spec"]["datasets"].values())) if row["theory"]]
    assert [row["train_relative_energy_error"] for row in rows] == [8, 4, 2, 1]
    assert [row["communications"] for row in rows] == [0, 1, 1, 2]
    parameters = {one["name"]: one.get("value") for one in found["spec"]["params"]}
    assert parameters["scale"] == "log"
    json.dumps(found, allow_nan=False)
    alt.Chart.from_dict(found["spec"])


def test_runs_without_a_count_of_communications_are_not_offered_it():
    one = results()
    table = one.any_run("dualfl").table
    table.drop(table.index[table["metric"] == "communications"], inplace=True)
    found = view("curves").chart(one, figure())
    assert "communications" not in [value for value, _ in found["choices"][1][2]]


def test_a_run_that_did_not_record_the_metric_is_left_out():
    """A reference solution has no distance to itself."""
    one = made_experiment("dualfl/mnist", *results().all, made_run("other", {GAP: [[1, 1, 1, 1]]}))
    with theme.style(theme.LIGHT):
        canvas = view("curves").draw(one, figure(), theme.LIGHT, 2)
    assert [text.get_text() for text in canvas.legends[0].texts] == ["DualFL"]
    plt.close(canvas)


def several(name):
    runs = {
        id: made_experiment(f"dualfl/{id}", made_run("a", {ERROR: [[1, 0.1]]}, name=name(f"dualfl/{id}")))
        for id in ("mnist", "mnist_rho")
    }
    titles = {"mnist": "(a)", "mnist_rho": "(c)", "cifar10": "(d)"}
    with theme.style(theme.LIGHT):
        return overview("side_by_side").draw(runs, figure(side_by_side=titles), theme.LIGHT, 3)


def test_experiments_side_by_side_are_those_that_were_run():
    canvas = several(lambda key: "same")
    assert [axis.get_title(loc="left") for axis in canvas.axes] == ["(a)", "(c)"]
    assert len(canvas.legends) == 1  # the panels share it
    plt.close(canvas)


def test_panels_with_some_of_the_curves_of_another_share_its_legend():
    runs = {
        "mnist": made_experiment("dualfl/mnist", *(made_run(id, {ERROR: [[1, 0.1]]}, name=id) for id in "ab")),
        "mnist_rho": made_experiment("dualfl/mnist_rho", made_run("b", {ERROR: [[1, 0.1]]}, name="b")),
    }
    with theme.style(theme.LIGHT):
        canvas = overview("side_by_side").draw(runs, figure(side_by_side=dict.fromkeys(runs, "")), theme.LIGHT, 3)
    assert [[text.get_text() for text in legend.texts] for legend in canvas.legends] == [["a", "b"]]
    assert all(axis.get_legend() is None for axis in canvas.axes)
    plt.close(canvas)


@pytest.mark.parametrize(("parts", "columns"), [(1, 1), (3, 3), (4, 2), (5, 3), (7, 3), (10, 3)])
def test_the_rows_of_experiments_side_by_side_are_about_alike(parts, columns):
    assert balanced(parts, 3) == columns


def test_panels_with_other_curves_have_legends_of_their_own():
    canvas = several(str)
    assert canvas.legends == []
    assert [text.get_text() for text in canvas.axes[1].get_legend().texts] == ["dualfl/mnist_rho"]
    plt.close(canvas)
