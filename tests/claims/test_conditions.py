"""The statistics behind a verdict."""

import math

import pytest

from fedatlas.claims.conditions import Condition, interval


def condition(values, sense="at_least", threshold=0.5):
    return Condition("what", dict(enumerate(values)), sense, threshold, ("shown",))


def test_interval_is_students():
    low, high, n = interval({0: 1.0, 1: 2.0, 2: 3.0})
    half = 4.302652729911275 / math.sqrt(3)  # t(0.975, 2 degrees of freedom) times the standard error 1/sqrt(3)
    assert (low, high, n) == (pytest.approx(2 - half), pytest.approx(2 + half), 3)


@pytest.mark.parametrize("values", [{0: 1.0}, {0: 1.0, 1: math.inf}, {0: 1.0, 1: math.nan, 2: 2.0}])
def test_no_interval_from_one_seed_or_numbers_that_are_not_finite(values):
    assert interval(values) is None


@pytest.mark.parametrize(
    ("values", "sense", "outcome"),
    [
        ([0.9, 0.91, 0.92], "at_least", "met"),
        ([0.1, 0.11, 0.12], "at_least", "not met"),
        ([0.4, 0.6, 0.6], "at_least", "undecided"),
        ([0.52, 0.9, 0.7], "at_least", "undecided"),  # every seed is above, but they spread too wide to say so
        ([0.5], "at_least", "met"),
        ([0.5], "above", "not met"),
        ([0.5], "at_most", "met"),
        ([0.5], "below", "not met"),
        ([math.inf, 3.0, 4.0], "above", "met"),
        ([math.inf, 0.1, 4.0], "above", "undecided"),
        ([math.nan, math.nan, math.nan], "at_least", "not met"),
    ],
)
def test_outcome(values, sense, outcome):
    assert condition(values, sense).outcome == outcome


def test_slack_is_on_the_right_side_of_the_threshold():
    assert condition([0.7, 0.9], "at_least").slack == pytest.approx(0.3)
    assert condition([0.7, 0.9], "at_most").slack == pytest.approx(-0.3)
    assert condition([math.nan], "at_most").slack == -math.inf
