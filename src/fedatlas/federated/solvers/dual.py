"""The local solver of objectives with the hinge loss, which may have no gradient: by their duals.

phi(u) = mean_i loss(z_i'u) + curvature / 2 ||u||^2 - <b, u> with loss(m) = max over a in [0, 1] of
a (1 - m) - smoothing / 2 a^2, the hinge max(0, 1 - m) where `smoothing` is 0, has the dual max over a in [0, 1]^n of
mean_i (a_i - smoothing / 2 a_i^2) - curvature / 2 ||u(a)||^2 with u(a) = (b + mean_i a_i z_i) / curvature. FISTA
ascends it (Beck, Teboulle, SIAM J. Imaging Sci. 2009), restarted where a step goes against the momentum (O'Donoghue,
Candes, Found. Comput. Math. 2015). It stops at a primal-dual gap, which says how far phi(u) is from its minimum at
most; in DualFL with nu = mu it is the gap of Park, Xu 2023 (arXiv 2305.10294), eq. 7.
"""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf


class Margins(NamedTuple):
    """z_i = s_i x_i [C, B, d], of each example its share in the mean, [C, B], 0 where there is none; and the loss."""

    inputs: tf.Tensor
    shares: tf.Tensor
    smoothing: float = 0.0

    def at(self, u: tf.Tensor) -> tf.Tensor:
        """z_i'u of u [G, C, d]; [G, C, B]."""
        return tf.einsum("cbd,gcd->gcb", self.inputs, u)

    def mean(self, a: tf.Tensor) -> tf.Tensor:
        """mean_i a_i z_i of a [G, C, B]; [G, C, d]."""
        return tf.einsum("cb,gcb,cbd->gcd", self.shares, a, self.inputs)

    @property
    def smoothness(self) -> tf.Tensor:
        """The largest eigenvalue of mean_i z_i z_i', [1, C, 1]."""
        second = tf.einsum("cb,cbd,cbe->cde", self.shares, self.inputs, self.inputs)
        return tf.linalg.eigvalsh(second)[None, :, -1:]

    def best(self, at: tf.Tensor) -> tf.Tensor:
        """The a_i that give the losses of the margins `at`; [G, C, B]."""
        slack = 1 - at
        return tf.clip_by_value(slack / self.smoothing, 0, 1) if self.smoothing else tf.cast(slack > 0, slack.dtype)

    def gap(self, a: tf.Tensor, at: tf.Tensor) -> tf.Tensor:
        """phi(u(a)) less the dual's value at a, whose margins are `at`; [G, C, 1]."""
        slack, best = 1 - at, self.best(at)
        lost = (best - a) * slack - self.smoothing / 2 * (best**2 - a**2)
        return tf.reduce_sum(self.shares * lost, -1, keepdims=True)


class State(NamedTuple):
    """Of each configuration and client: a_k and the extrapolated y_k with their margins [G, C, B], and [G, C, 1]."""

    a: tf.Tensor
    margins: tf.Tensor
    ahead: tf.Tensor
    margins_ahead: tf.Tensor
    t: tf.Tensor
    gap: tf.Tensor
    passes: tf.Tensor


def minimise_by_dual(
    margins: Margins, most_iterations: int, start: tf.Tensor, curvature: tf.Tensor, b: tf.Tensor, accuracy: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """argmin_u of phi, and how often all examples were gone through, which is counted as gradients are.

    Who has a gap of `accuracy` or less stops; the losses of u = 0 are 1 at most.

    Args:
        start: [G, C, d], whose margins say where the a_i begin.
        curvature: [G, C, 1], above 0.
        b: [G, C, d].
        accuracy: that broadcasts to [G, C, 1].

    Returns:
        u [G, C, d] and the number of passes [G, C, 1].
    """

    def primal(a: tf.Tensor) -> tf.Tensor:
        return (b + margins.mean(a)) / curvature

    def iterate(k: tf.Tensor, state: State) -> tuple[tf.Tensor, State]:
        slope = 1 - margins.smoothing * state.ahead - state.margins_ahead
        a = tf.clip_by_value(state.ahead + step * slope, 0, 1)
        found = _extrapolated(state, a, margins.at(primal(a)), margins)
        running = state.gap > accuracy
        return k + 1, tf.nest.map_structure(lambda new, old: tf.where(running, new, old), found, state)

    steepest = margins.smoothness + margins.smoothing * curvature
    step = curvature / tf.maximum(steepest, tf.cast(1e-300, start.dtype))
    a = margins.best(margins.at(start))
    at, ones = margins.at(primal(a)), tf.ones_like(curvature)
    first = State(a, at, a, at, ones, margins.gap(a, at), tf.cast(ones, tf.float64))
    _, state = tf.while_loop(
        lambda k, state: tf.reduce_any(state.gap > accuracy),
        iterate,
        (0, first),
        maximum_iterations=most_iterations,
    )
    return primal(state.a), state.passes


def _extrapolated(state: State, a: tf.Tensor, at: tf.Tensor, margins: Margins) -> State:
    """The state after a step to a, whose margins are `at`."""
    moved = a - state.a
    turned = tf.reduce_sum(margins.shares * (a - state.ahead) * moved, -1, keepdims=True) < 0
    longer = (1 + tf.sqrt(1 + 4 * state.t**2)) / 2
    momentum = tf.where(turned, tf.zeros_like(longer), (state.t - 1) / longer)
    return State(
        a=a,
        margins=at,
        ahead=a + momentum * moved,
        margins_ahead=at + momentum * (at - state.margins),
        t=tf.where(turned, tf.ones_like(longer), longer),
        gap=margins.gap(a, at),
        passes=state.passes + 1,
    )
