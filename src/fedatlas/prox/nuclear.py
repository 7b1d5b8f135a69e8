"""The nuclear norm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fedatlas.lazy import tf
from fedatlas.prox._singular import right_singular, scale_singular_values, singular_values, upright
from fedatlas.prox.base import Array, Penalty, nonnegative

NEGLIGIBLE = 1e-7  # times the largest: a singular value below counts as zero where a subgradient is taken


@dataclass(frozen=True)
class Nuclear(Penalty):
    """psi(W) = strength * (the sum of the singular values of W)."""

    axes = 2

    strength: float = nonnegative()

    def value(self, w: Array) -> Array:
        return self.strength * tf.cast(tf.reduce_sum(singular_values(w), -1), w.dtype)

    def prox(self, v: Array, step: Array) -> Array:
        """Singular value thresholding (Cai, Candes, Shen 2010), written as v less its clipping."""
        threshold = tf.cast(step[..., 0], tf.float64) * self.strength
        return v - _spectral(v, lambda s: tf.math.divide_no_nan(tf.minimum(s, threshold), s))

    def subgradient(self, w: Array) -> Array:
        """strength * U V' of the singular value decomposition U S V', over the singular values that are not zero."""

        def factors(s: Array) -> Array:
            return tf.where(s > NEGLIGIBLE * s[..., -1:], tf.math.reciprocal_no_nan(s), 0)

        return self.strength * _spectral(w, factors)


def _spectral(v: Array, factors: Callable[[Array], Array]) -> Array:
    """v with each of its singular values times a factor, a function of them all [..., min(p, q)]."""
    tall = upright(v)
    s, basis = right_singular(tall)
    scaled = scale_singular_values(tall, factors(s), basis)
    return scaled if tall is v else tf.linalg.matrix_transpose(scaled)
