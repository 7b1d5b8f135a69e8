"""The hinge loss, its margins and the accuracy."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from fedatlas.problems import problems
from fedatlas.problems.base import Batch, Data

PROBLEM = problems["hinge"](data=Data((2,), 2, {}))
GIVEN = Batch(
    x=tf.constant([[[1.0, 2.0], [0.0, 1.0], [3.0, -1.0]]], tf.float64),
    y=tf.constant([[1, 0, 0]]),
    mask=tf.ones([1, 3], tf.bool),
)
W = tf.constant([[[0.5, 0.25, -0.25]], [[-2.0, 0.0, 1.0]]], tf.float64)


def test_loss_is_what_the_margin_lacks_to_one():
    """Margins 0.75, 0, -1 of the first, -1, -1, 5 of the second parameters."""
    expected = [[[0.25, 1.0, 2.0]], [[2.0, 2.0, 0.0]]]
    np.testing.assert_allclose(PROBLEM.losses(W, GIVEN), expected, atol=1e-15)


def test_margins_are_products_with_the_signed_inputs():
    z = PROBLEM.signed_inputs(GIVEN, tf.float64)
    np.testing.assert_array_equal(z, [[[1, 2, 1], [0, -1, -1], [-3, 1, -1]]])
    margins = tf.einsum("gcd,cbd->gcb", W, z)
    np.testing.assert_allclose(PROBLEM.losses(W, GIVEN), np.maximum(1 - margins.numpy(), 0), atol=1e-15)


def test_accuracy_is_that_of_the_sign():
    found = PROBLEM.example_metrics(W, GIVEN)["accuracy"]
    np.testing.assert_array_equal(found, [[[1, 1, 0]], [[0, 0, 1]]])


MARGINS = tf.constant([[[-1.0], [0.25], [0.5], [0.75], [1.0], [2.0]]], tf.float64)


def test_smoothed_it_is_a_line_a_parabola_and_zero():
    np.testing.assert_allclose(smoothed(0.5, MARGINS), [1.75, 0.5, 0.25, 0.0625, 0, 0], atol=1e-15)


def test_with_less_and_less_smoothing_it_is_the_hinge():
    np.testing.assert_allclose(smoothed(1e-9, MARGINS), smoothed(0.0, MARGINS), atol=1e-9)


@pytest.mark.parametrize("smoothing", [0.25, 1.0])
def test_smoothed_its_slope_changes_by_one_over_smoothing_at_most(smoothing):
    margins = tf.reshape(tf.linspace(tf.constant(-1.5, tf.float64), 1.5, 301), [1, -1, 1])
    with tf.GradientTape() as tape:
        tape.watch(margins)
        total = tf.reduce_sum(smoothed(smoothing, margins))
    slopes = tape.gradient(total, margins).numpy().ravel()
    assert np.abs(np.diff(slopes)).max() / 0.01 == pytest.approx(1 / smoothing, rel=1e-6)


def smoothed(smoothing, margins):
    """The losses of examples of the label 1 whose inputs are these margins, [examples]."""
    problem = problems["hinge"](data=Data((1,), 2, {}), smoothing=smoothing)
    given = Batch(margins, tf.ones(margins.shape[:2], tf.int32), tf.ones(margins.shape[:2], tf.bool))
    return problem.losses(tf.constant([[[1.0, 0.0]]], tf.float64), given)[0, 0]
