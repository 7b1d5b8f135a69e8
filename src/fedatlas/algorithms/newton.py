"""The reference solution of smooth convex problems, by Newton's method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fedatlas.algorithms._traits import ExactLocal
from fedatlas.algorithms.base import Array, Objective, Server, positive
from fedatlas.lazy import tf

SUFFICIENT, HALVINGS = 1e-4, 40  # of the line search
ROUNDING = 1e-14  # a rise by this share of the value is none


@dataclass(frozen=True)
class Newton(ExactLocal):
    """Damped Newton steps on the examples of all training clients together; a round is a step.

    Nocedal, Wright, Numerical Optimization, 2nd edition 2006, Algorithm 7.1 (line search Newton-CG). Once the norm of
    the gradient is at most `tolerance`, nothing changes any more.

    Symbols: x -> params, f -> F, p -> direction, alpha -> length, z, r, d as they are.
    Differs from the paper: for convex objectives, so that directions of negative curvature only end the inner loop.
    """

    name = "Newton"
    citation = "Nocedal, Wright, Numerical Optimization 2006, Algorithm 7.1"
    colour = "#334155"
    data = "pooled"

    tolerance: Array = positive()

    def start(self, message, client, F):
        w = message.params
        gradient = F.gradient(w)
        size = _norm(gradient)
        accuracy = tf.minimum(tf.sqrt(size), 0.5) * size
        going = size > self.tolerance
        direction, products = conjugate_gradients(lambda d: F.hessian_product(w, d), gradient, accuracy, going)
        F.count(products)
        return tf.where(going, w + line_search(F, w, gradient, direction) * direction, w)

    def update_server(self, server, mean, participation):
        return Server(server.params + mean.delta)  # of one client


def conjugate_gradients(
    product: Callable[[Array], Array], gradient: Array, accuracy: Array, going: Array
) -> tuple[Array, Array]:
    """z with ||H z + gradient|| <= accuracy, [G, C, d], where `going` holds, else 0; and the products that it took.

    Args:
        product: d -> H d.
        accuracy: [G, C, 1], as `going`.
    """

    def iterate(z, r, d, going, products):
        bent, products = product(d), products + tf.cast(going, tf.float64)
        curvature = _dot(d, bent)
        going &= curvature > 0
        length = tf.where(going, _dot(r, r) / curvature, 0)
        z, new = z + length * d, r + length * bent
        d = tf.where(going, _dot(new, new) / _dot(r, r) * d - new, d)
        return z, new, d, going & (_norm(new) > accuracy), products

    state = tf.zeros_like(gradient), gradient, -gradient, going, tf.zeros_like(going, tf.float64)
    most = 2 * gradient.shape[-1]  # without rounding, d are enough
    z, *_, products = tf.while_loop(lambda *state: tf.reduce_any(state[-2]), iterate, state, maximum_iterations=most)
    return z, products


def line_search(F: Objective, w: Array, gradient: Array, direction: Array) -> Array:
    """The first of 1, 1/2, 1/4, ... along which F falls by Armijo's condition, [G, C, 1]."""
    value, slope = F.value(w), _dot(gradient, direction)

    def too_long(length):
        allowed = value + SUFFICIENT * length * slope + ROUNDING * tf.abs(value)
        return ~(F.value(w + length * direction) <= allowed)

    def halve(length, refused):
        length = tf.where(refused, length / 2, length)
        return length, too_long(length)

    full = tf.ones_like(value)
    state = full, too_long(full)
    return tf.while_loop(lambda _, refused: tf.reduce_any(refused), halve, state, maximum_iterations=HALVINGS)[0]


def _dot(a: Array, b: Array) -> Array:
    return tf.reduce_sum(a * b, -1, keepdims=True)


def _norm(a: Array) -> Array:
    return tf.norm(a, axis=-1, keepdims=True)
