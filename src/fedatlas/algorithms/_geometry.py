"""Distance-generating functions, by which a server measures how far it moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fedatlas.algorithms.base import Array
from fedatlas.lazy import tf

HALVINGS = 200  # more than enough for the last digit of a root above 1e-40


class Geometry:
    """A strictly convex psi on R^d by its mirror map grad psi and the inverse of that; all vectors are [G, 1, d].

    Takakura, Liew, Hasegawa 2025 (arXiv 2505.11126), section 3.
    """

    def mirror(self, w: Array) -> Array:
        """grad psi(w), the dual variable of w."""
        raise NotImplementedError

    def inverse(self, theta: Array) -> Array:
        """The w whose dual variable is theta."""
        raise NotImplementedError

    def moved(self, w: Array, change: Array) -> Array:
        """The point whose dual variable is that of w plus `change`."""
        return self.inverse(self.mirror(w) + change)

    def rate(self, w: Array, v: Array, gain: Array, eps_g: Array) -> Array:
        """FedDuA's step eta [G, 1, 1]: h(eta) + eps_g eta = gain, where h(eta) = <v, moved(w, eta v) - w>.

        h rises from 0, as psi is strictly convex. The step is 0 where none gains as much, as with v = 0.
        """
        theta = self.mirror(w)
        return _last_short_of(
            lambda eta: inner(v, self.inverse(theta + eta * v) - w) + eps_g * eta < gain, tf.ones_like(gain)
        )


@dataclass(frozen=True)
class Quadratic(Geometry):
    """psi(w) = 1/2 w'G w with the diagonal of G [G, 1, d]; a coordinate whose entry is 0 does not move."""

    diagonal: Array

    def mirror(self, w: Array) -> Array:
        return self.diagonal * w

    def inverse(self, theta: Array) -> Array:
        return tf.math.divide_no_nan(theta, self.diagonal)

    def moved(self, w: Array, change: Array) -> Array:
        return w + self.inverse(change)

    def rate(self, w: Array, v: Array, gain: Array, eps_g: Array) -> Array:
        """gain / (||v||^2_{G^-1} + eps_g)."""
        return tf.math.divide_no_nan(gain, inner(v, self.inverse(v)) + eps_g)


@dataclass(frozen=True)
class HyperbolicEntropy(Geometry):
    """psi(w) = sum_k w_k asinh(w_k / width) - sqrt(w_k^2 + width^2) (Ghai, Hazan, Singer, ALT 2020).

    Where |w_k| is far below the width it is a square, far above it an entropy: a step is then relative to w_k.
    """

    width: Array

    def mirror(self, w: Array) -> Array:
        return tf.asinh(w / self.width)

    def inverse(self, theta: Array) -> Array:
        return self.width * tf.sinh(theta)


def inner(a: Array, b: Array) -> Array:
    """The inner product of vectors [G, 1, d]; [G, 1, 1]."""
    return tf.reduce_sum(a * b, -1, keepdims=True)


def _last_short_of(short: Callable[[Array], Array], guess: Array) -> Array:
    """The eta up to which `short` holds, each entry on its own, to the last digit; 0 where it always holds."""
    (high,) = tf.while_loop(
        lambda high: tf.reduce_any(short(high) & tf.math.is_finite(high)),
        lambda high: (tf.where(short(high), 2 * high, high),),
        (guess,),
    )
    high = tf.where(tf.math.is_finite(high), high, 0)

    def halve(low: Array, high: Array) -> tuple[Array, Array]:
        middle = (low + high) / 2
        return tf.where(short(middle), middle, low), tf.where(short(middle), high, middle)

    return tf.while_loop(
        lambda low, high: tf.reduce_any((low < (low + high) / 2) & ((low + high) / 2 < high)),
        halve,
        (0 * high, high),
        maximum_iterations=HALVINGS,
    )[1]
