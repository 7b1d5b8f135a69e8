"""Curves that lie on one another can be told apart."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from fedatlas.report.drawing.overlaps import tell_apart

ROUNDS = np.arange(20)


@pytest.fixture
def axis():
    canvas = plt.figure(figsize=(4, 3))
    yield canvas.add_axes((0.1, 0.1, 0.8, 0.8))
    plt.close(canvas)


def styles(axis, *curves: tuple) -> list[bool]:
    """Whether each of the curves (values, or places and values) is dashed when all have been told apart."""
    lines = [line for curve in curves for line in axis.plot(*curve)]
    tell_apart(axis, lines)
    return [line.is_dashed() for line in lines]


def test_the_later_of_two_equal_curves_is_dashed(axis):
    assert styles(axis, (ROUNDS, ROUNDS), (ROUNDS, ROUNDS + 0.01), (ROUNDS, 19 - ROUNDS)) == [False, True, False]


def test_a_third_equal_curve_has_other_dashes(axis):
    lines = [axis.plot(ROUNDS, ROUNDS)[0] for _ in range(3)]
    tell_apart(axis, lines)
    patterns = [line._dash_pattern for line in lines]
    assert patterns[0][1] is None and patterns[1][1] != patterns[2][1]


def test_what_coincides_depends_on_the_scale(axis):
    axis.set_yscale("log")
    axis.set_ylim(1e-9, 1e3)
    assert styles(axis, (ROUNDS, 1e-6 * (1 + ROUNDS)), (ROUNDS, 1e-3 * (1 + ROUNDS))) == [False, False]


def test_curves_that_meet_for_a_short_time_are_no_others(axis):
    other = np.where(ROUNDS < 8, ROUNDS, 19 - ROUNDS)
    assert styles(axis, (ROUNDS, ROUNDS), (ROUNDS, other)) == [False, False]


@pytest.mark.parametrize("values", [np.full(20, np.nan), np.where(ROUNDS < 15, np.nan, 5.0)])
def test_values_that_are_missing_are_not_compared(axis, values):
    assert styles(axis, (ROUNDS, np.zeros(20)), (ROUNDS, values)) == [False, False]


def test_curves_with_other_places_are_not_compared(axis):
    assert styles(axis, (ROUNDS, ROUNDS), (ROUNDS[::2], ROUNDS[::2]), (1.5 * ROUNDS, ROUNDS)) == [False, False, False]
