"""The l1 ball."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.lazy import tf
from fedatlas.prox._sums import total
from fedatlas.prox.base import Array, Penalty, nonnegative

# Every step of Newton's method divides (excess * entries left) by four or more; so an excess below 2^1024 is below
# 2^-53 of a radius above 2^-1022 within (1024 + 30 + 1022 + 53) / 2 steps if d < 2^30. A few steps do in practice.
MOST_STEPS = 1100


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
        norm = total(tf.abs(v))
        outside = (norm > self.radius) & tf.math.is_finite(norm)
        size = tf.cast(tf.shape(v)[-1], tf.float64)
        tau, _, _ = tf.while_loop(
            lambda tau, left, moving: tf.reduce_any(moving),
            lambda tau, left, moving: self._newton(v, tau, left, moving),
            (tf.where(outside, (norm - self.radius) / size, 0), size + tf.zeros_like(norm), outside),
            maximum_iterations=MOST_STEPS,
        )
        shrunk = tf.cast(tf.maximum(tf.cast(tf.abs(v), tf.float64) - tau, 0), v.dtype)
        return tf.where(outside, tf.sign(v) * shrunk, v)

    def _newton(self, v: Array, tau: Array, left: Array, moving: Array) -> tuple[Array, Array, Array]:
        """One step; it has arrived when no entry falls below tau any more. tau, left and moving are [..., 1]."""
        above = tf.cast(tf.abs(v), tf.float64) - tau
        fewer = total(above > 0)
        excess = total(tf.maximum(above, 0)) - self.radius
        moved = tau + tf.maximum(tf.math.divide_no_nan(excess, fewer), 0)
        return tf.where(moving, moved, tau), fewer, moving & (fewer < left)

    def violation(self, w: Array) -> Array:
        outside = tf.maximum(total(tf.abs(w))[..., 0] - self.radius, 0) / (self.radius or 1)
        return tf.cast(outside, w.dtype)
