"""The l1 norm."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.lazy import tf
from fedatlas.prox.base import Array, Penalty, nonnegative


@dataclass(frozen=True)
class L1(Penalty):
    """psi(w) = strength * ||w||_1."""

    strength: float = nonnegative()

    def value(self, w: Array) -> Array:
        return self.strength * tf.reduce_sum(tf.abs(w), -1)

    def prox(self, v: Array, step: Array) -> Array:
        """Soft thresholding: sign(v_k) max(|v_k| - step * strength, 0), written as v less its clipping."""
        threshold = step * self.strength
        return v - tf.clip_by_value(v, -threshold, threshold)

    def subgradient(self, w: Array) -> Array:
        """strength * sign(w), 0 at 0."""
        return self.strength * tf.sign(w)
