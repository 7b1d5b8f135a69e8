"""The squared l2 norm (weight decay, ridge)."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.lazy import tf
from fedatlas.prox.base import Array, Penalty, nonnegative


@dataclass(frozen=True)
class L2Squared(Penalty):
    """psi(w) = strength / 2 * ||w||_2^2."""

    strength: float = nonnegative()

    def value(self, w: Array) -> Array:
        return self.strength / 2 * tf.reduce_sum(w * w, -1)

    def prox(self, v: Array, step: Array) -> Array:
        return v / (1 + step * self.strength)

    def subgradient(self, w: Array) -> Array:
        return self.strength * w
