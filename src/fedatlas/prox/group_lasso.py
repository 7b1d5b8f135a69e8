"""The group lasso over the rows of a kernel."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.lazy import tf
from fedatlas.prox.base import Array, Penalty, nonnegative


@dataclass(frozen=True)
class GroupLasso(Penalty):
    """psi(W) = strength * (the sum of the l2 norms of the rows of W): an input is used by all outputs or by none."""

    axes = 2

    strength: float = nonnegative()

    def value(self, w: Array) -> Array:
        return self.strength * tf.reduce_sum(tf.norm(w, axis=-1), -1)

    def prox(self, v: Array, step: Array) -> Array:
        """Block soft thresholding: row max(1 - step * strength / ||row||, 0), written as v less its clipping."""
        norms = tf.norm(v, axis=-1, keepdims=True)
        return v - v * tf.math.divide_no_nan(tf.minimum(norms, step * self.strength), norms)

    def subgradient(self, w: Array) -> Array:
        """strength * row / ||row||, 0 at a row of zeros."""
        return self.strength * tf.math.divide_no_nan(w, tf.norm(w, axis=-1, keepdims=True))
