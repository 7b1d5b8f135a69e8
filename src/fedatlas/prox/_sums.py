"""Sums over long vectors, quick and exact."""

from __future__ import annotations

from fedatlas.lazy import tf
from fedatlas.prox.base import Array

STRIPS = 8  # of more, XLA makes slower code


def total(a: Array) -> Array:
    """The sum over the last axis, [..., 1], in float64: one of many float32 is off by more than their rounding.

    Strips of a long vector are first added up side by side: arithmetic on vectors, which XLA fuses with what makes `a`
    and does many lanes at a time, where it would add up a row one number after the other.
    """
    a = tf.cast(a, tf.float64)
    width = (a.shape[-1] or 0) // STRIPS
    if width < STRIPS:
        return tf.reduce_sum(a, -1, keepdims=True)
    strips = [a[..., i * width : (i + 1) * width] for i in range(STRIPS)]
    while len(strips) > 1:
        strips = [even + odd for even, odd in zip(strips[::2], strips[1::2], strict=True)]
    return total(strips[0]) + tf.reduce_sum(a[..., STRIPS * width :], -1, keepdims=True)
