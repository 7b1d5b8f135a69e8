"""Numbers of whole sweeps."""

import math

import pytest
from made_results import made_run

from fedatlas.claims.quantities.spread import Spread
from fedatlas.results.selection import best_along

ACCURACY, LOSS = ("test", "accuracy"), ("train", "loss")
GRID = [{"client_lr": rate, "eps_g": eps} for eps in (0, 0.1) for rate in (1, 2)]
TUNED = {"kind": "spread", "metric": "accuracy", "split": "test", "along": ["eps_g"], "over_last": 2, "best": "highest"}


def run(levels, metric=ACCURACY, grid=GRID):
    """The last two rounds of each configuration have this mean."""
    return made_run("fedavg", {metric: [[0.0, level - 0.1, level + 0.1] for level in levels]}, grid=grid)


def test_the_other_hyper_parameters_are_as_they_are_best():
    """0.9 is the best with eps_g = 0 and 0.7 with 0.1; the client rate that is best differs."""
    assert Spread(**TUNED).measure(run([0.2, 0.9, 0.7, 0.1])) == pytest.approx(0.2)


def test_what_a_value_costs():
    levels = [0.2, 0.9, 0.7, 0.1]
    assert Spread(**TUNED, at=0.1).measure(run(levels)) == pytest.approx(0.2)
    assert Spread(**TUNED, at=0).measure(run(levels)) == pytest.approx(0)
    assert math.isnan(Spread(**TUNED, at=0.5).measure(run(levels)))


def test_powers_of_ten_where_lower_is_better():
    spread = Spread(**TUNED | {"metric": "loss", "split": "train", "best": "lowest", "decades": True})
    levels = [[1, 1, 1], [1, 1e-4, 1e-4], [1, 1e-1, 1e-1], [1, 10, 10]]
    assert spread.measure(made_run("fedavg", {LOSS: levels}, grid=GRID)) == pytest.approx(3)


def test_one_that_always_diverges_is_infinitely_far_and_one_that_sometimes_does_is_not():
    nan = math.nan
    assert Spread(**TUNED).measure(run([nan, 0.9, 0.7, nan])) == pytest.approx(0.2)
    assert Spread(**TUNED).measure(run([nan, nan, 0.7, 0.1])) == math.inf


def test_the_first_hyper_parameter_that_is_varied_counts():
    grid = [{"server_lr": 1, "eps_g": 0}, {"server_lr": 2, "eps_g": 0}]
    spread = Spread(**TUNED | {"along": ["eps_g", "server_lr"]})
    assert spread.measure(run([0.2, 0.9], grid=grid)) == pytest.approx(0.7)
    assert math.isnan(Spread(**TUNED).measure(run([0.2, 0.9], grid=grid)))
    assert "over the values of ε_g or server rate" in spread.describe()


def test_ties_go_to_the_first_configuration():
    scored = made_run("fedavg", {ACCURACY: [[0.5]] * 4}, grid=GRID).table.groupby("configuration")["value"].first()
    assert best_along(GRID, scored * 0 + 1, "eps_g", "highest").to_dict() == {0: 0, 0.1: 2}
