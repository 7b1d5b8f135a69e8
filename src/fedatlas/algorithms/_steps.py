"""Local steps that several algorithms take from w [G, C, d] on the objective f of a batch."""

from __future__ import annotations

from fedatlas.algorithms.base import Array, Objective


def sgd_step(w: Array, lr: Array, f: Objective) -> Array:
    """A step of SGD."""
    return w - lr * f.gradient(w)


def proximal_step(w: Array, lr: Array, f: Objective, mu: Array, centre: Array) -> Array:
    """A step of SGD on f(w) + mu/2 ||w - centre||^2."""
    return w - lr * f.gradient(w, plus=mu * (w - centre))
