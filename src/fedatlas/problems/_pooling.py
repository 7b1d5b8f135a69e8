"""The largest of every 2 x 2 pixels, with a gradient that passes over them once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fedatlas.lazy import tf
from fedatlas.problems.base import Array


def max_pool(x: Array) -> Array:
    """[B, rows, columns, channels] -> [B, rows // 2, columns // 2, channels]; an odd row or column is left out.

    Keras's MaxPool2D(2), and as there the gradient goes to the first of equal pixels. That of TensorFlow looks for
    the largest a second time, and takes nine times as long on one core as what XLA makes of this.
    """
    return _pooled(x)


def _corners(x: Array) -> list[Array]:
    """The four pixels of every 2 x 2, row by row, each [B, rows // 2, columns // 2, channels]."""
    rows, columns, channels = (x.shape[1] // 2, x.shape[2] // 2, x.shape[3])
    squares = tf.reshape(x[:, : 2 * rows, : 2 * columns], [-1, rows, 2, columns, 2, channels])
    return [squares[:, :, i, :, j] for i in range(2) for j in range(2)]


def _largest(x: Array) -> Array:
    a, b, c, d = _corners(x)
    return tf.maximum(tf.maximum(a, b), tf.maximum(c, d))


def _spread(x: Array, largest: Array, upstream: Array) -> Array:
    """The gradient by x: what comes to each 2 x 2 goes to its first pixel that is the largest."""
    parts, taken = [], tf.zeros_like(largest, tf.bool)
    for corner in _corners(x):
        here = tf.equal(corner, largest) & ~taken
        parts.append(tf.where(here, upstream, 0))
        taken |= here
    squares = tf.stack([tf.stack(parts[:2], 3), tf.stack(parts[2:], 3)], 2)
    rows, columns = 2 * largest.shape[1], 2 * largest.shape[2]
    whole = tf.reshape(squares, [-1, rows, columns, x.shape[3]])
    return tf.pad(whole, [[0, 0], [0, x.shape[1] - rows], [0, x.shape[2] - columns], [0, 0]])


def _pooled(x: Array) -> Array:
    def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
        return tf.function(function, jit_compile=True, autograph=False)

    @tf.custom_gradient
    def pooled(x: Array) -> tuple[Array, Callable[[Array], Array]]:
        largest = compiled(_largest)(x)
        return largest, lambda upstream: compiled(_spread)(x, largest, upstream)

    return pooled(x)
