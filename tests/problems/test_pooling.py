"""The largest of every 2 x 2 pixels."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from fedatlas.problems._pooling import max_pool


@pytest.mark.parametrize("size", [(4, 6), (5, 7)], ids=["even", "odd"])
def test_it_and_its_gradient_are_those_of_tensorflow_even_where_pixels_are_equal(size):
    rng = np.random.default_rng(0)
    x = tf.constant(rng.integers(0, 3, (2, *size, 3)), tf.float32)  # few values, so that most squares have ties
    upstream = tf.constant(rng.normal(size=(2, size[0] // 2, size[1] // 2, 3)), tf.float32)
    found = []
    for pool in (max_pool, lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID")):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = pool(x)
        found.append((y, tape.gradient(y, x, upstream)))
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_array_equal(ours, theirs)
