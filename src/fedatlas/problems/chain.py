"""The chain of Carmon, Duchi, Hinder, Sidford: no coordinate moves before the one ahead of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fedatlas.lazy import tf
from fedatlas.problems._blocks import Block
from fedatlas.problems.base import Array, Batch, Measured, Problem


@dataclass(frozen=True)
class Chain(Problem):
    """The j-th unit vector's loss is Psi(-x_{j-1}) Phi(-x_j) - Psi(x_{j-1}) Phi(x_j) with x = sqrt(d) w and x_0 = 1.

    Lower bounds for finding stationary points I, Mathematical Programming 2020 (arXiv 1710.11606), section 3, with
    Psi(v) = exp(1 - 1 / (2 v - 1)^2) above 1/2, else 0, and Phi(v) = sqrt(e) times the integral of exp(-t^2 / 2) up to
    v. So scaled, f, the mean of the d terms, has a gradient whose Lipschitz constant does not grow with d, nor does
    what f(0) is above the minimum; and ||gradient of f||^2 > 1 / d until |x_j| >= 1 for every j. Where two clients have
    every other term, it serves for Claim 2.1 of Zhang et al. 2021 (FedPD, arXiv 2005.11418).

    `squared_gradient` is ||gradient of f(w)||^2, `links_reached` the number of coordinates that are not zero.
    """

    @property
    def blocks(self) -> list[Block]:
        return [Block("point", self.data.shape, penalised=True)]

    def losses(self, w: Array, batch: Batch) -> Array:
        return tf.einsum("gcd,cbd->gcb", _terms(w), tf.cast(batch.x, w.dtype))

    @property
    def measured(self) -> Measured:
        return Measured(parameters=("squared_gradient", "links_reached"))

    def model_metrics(self, w: Array) -> dict[str, Array]:
        with tf.GradientTape() as tape:
            tape.watch(w)
            f = tf.reduce_mean(_terms(w), -1)
        squares = tf.square(tape.gradient(f, w))
        return {
            "squared_gradient": tf.reduce_sum(squares, -1),
            "links_reached": tf.math.count_nonzero(w, -1, dtype=w.dtype),
        }


def _terms(w: Array) -> Array:
    """All d terms at w [..., d], of the same shape."""
    x = math.sqrt(w.shape[-1]) * w
    ahead = tf.concat([tf.ones_like(x[..., :1]), x[..., :-1]], -1)
    return _psi(-ahead) * _phi(-x) - _psi(ahead) * _phi(x)


def _psi(v: Array) -> Array:
    above = v > 0.5
    base = tf.where(above, 2 * v - 1, 1)
    return tf.where(above, tf.exp(1 - 1 / tf.square(base)), 0)


def _phi(v: Array) -> Array:
    return math.sqrt(math.e * math.pi / 2) * (1 + tf.math.erf(v / math.sqrt(2)))
