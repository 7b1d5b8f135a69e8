"""The l2 ball."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.lazy import tf
from fedatlas.prox._sums import total
from fedatlas.prox.base import Array, Penalty, nonnegative


@dataclass(frozen=True)
class L2Ball(Penalty):
    """The indicator of {w : ||w||_2 <= radius}."""

    indicator = True

    radius: float = nonnegative()

    def prox(self, v: Array, step: Array) -> Array:
        norm = _norm(v)
        outside = (norm > self.radius) & tf.math.is_finite(norm)
        return v * tf.cast(tf.where(outside, self.radius / norm, 1), v.dtype)

    def violation(self, w: Array) -> Array:
        outside = tf.maximum(_norm(w)[..., 0] - self.radius, 0) / (self.radius or 1)
        return tf.cast(outside, w.dtype)


def _norm(w: Array) -> Array:
    """||w||_2, [..., 1], in float64: the sum of many float32 squares is off by more than their rounding."""
    return tf.sqrt(total(tf.square(tf.cast(w, tf.float64))))
