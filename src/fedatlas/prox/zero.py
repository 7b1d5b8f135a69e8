"""No penalty."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.lazy import tf
from fedatlas.prox.base import Array, Penalty


@dataclass(frozen=True)
class Zero(Penalty):
    """psi = 0: the proximal operator is the identity."""

    def value(self, w: Array) -> Array:
        return self._zero(w)

    def prox(self, v: Array, step: Array) -> Array:
        return v

    def subgradient(self, w: Array) -> Array:
        return tf.zeros_like(w)
