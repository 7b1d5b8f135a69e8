"""The l1 ball."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.lazy import tf
from fedatlas.prox.base import Array, Penalty, nonnegative

# Newton's method starts where the excess is below d * radius, and every step divides (excess * entries left) by four or
# more; so d < 2^30 and an excess of 2^-53 of the radius are reached within (30 + 30 + 53) / 2 steps.
MOST_STEPS = 64


@dataclass(frozen=True)
class L1Ball(Penalty):
    """The indicator of {w : ||w||_1 <= radius}."""

    indicator = True

    radius: float = nonnegative()

    def prox(self, v: Array, step: Array) -> Array:
        """Soft thresholding by the tau at which ||.||_1 is the radius.

        tau is the root of the excess sum_k max(|v_k| - tau, 0) - radius, convex and piecewise linear in tau: Newton's
        method climbs to it from the left in finitely many steps, exactly (Michelot 1986; Condat 2016).
        """
        norm, largest = _sum(tf.abs(v)), tf.cast(tf.reduce_max(tf.abs(v), -1, keepdims=True), tf.float64)
        outside = (norm > self.radius) & tf.math.is_finite(norm)
        size = tf.cast(tf.shape(v)[-1], tf.float64)
        tau = tf.maximum((norm - self.radius) / size, largest - self.radius)
        tau, _, _ = tf.while_loop(
            lambda tau, left, moving: tf.reduce_any(moving),
            lambda tau, left, moving: self._newton(v, tau, left, moving),
            (tf.where(outside, tau, 0), size + tf.zeros_like(norm), outside),
            maximum_iterations=MOST_STEPS,
        )
        return tf.where(outside, _soft(v, tau), v)

    def _newton(self, v: Array, tau: Array, left: Array, moving: Array) -> tuple[Array, Array, Array]:
        """One step; it has arrived when no entry falls below tau any more. tau, left and moving are [..., 1]."""
        above = tf.cast(tf.abs(v), tf.float64) - tau
        fewer = _sum(above > 0)
        excess = _sum(tf.maximum(above, 0)) - self.radius
        moved = tau + tf.maximum(tf.math.divide_no_nan(excess, fewer), 0)
        return tf.where(moving, moved, tau), fewer, moving & (fewer < left)

    def violation(self, w: Array) -> Array:
        outside = tf.maximum(_sum(tf.abs(w))[..., 0] - self.radius, 0) / (self.radius or 1)
        return tf.cast(outside, w.dtype)


def _sum(a: Array) -> Array:
    """The sum over the last axis, [..., 1], in float64: one of many float32 is off by more than their rounding."""
    return tf.reduce_sum(tf.cast(a, tf.float64), -1, keepdims=True)


def _soft(v: Array, tau: Array) -> Array:
    shrunk = tf.maximum(tf.cast(tf.abs(v), tf.float64) - tau, 0)
    return tf.sign(v) * tf.cast(shrunk, v.dtype)
