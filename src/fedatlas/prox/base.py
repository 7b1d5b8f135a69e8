"""The contract of penalties psi: a value, a proximal operator, a subgradient."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Array = Any  # a tf.Tensor whose last axis is the parameter vector


def nonnegative() -> Any:
    """Declares an option that must be >= 0."""
    return field(metadata={"at_least": 0.0})


@dataclass(frozen=True)
class Penalty:
    """A convex function psi on R^d, possibly an indicator; its dataclass fields are its options.

    Arrays have any leading axes and the vector as the last one, [..., d].
    """

    def value(self, w: Array) -> Array:
        """psi(w), [...]; an indicator is reported as 0, for every reported model is feasible."""
        raise NotImplementedError

    def prox(self, v: Array, step: Array) -> Array:
        """prox_{step psi}(v) = argmin_u 1/2 ||u - v||^2 + step psi(u), [..., d]; step is [..., 1] and >= 0."""
        raise NotImplementedError

    def subgradient(self, w: Array) -> Array:
        """An element of the subdifferential of psi at w, [..., d]."""
        raise NotImplementedError(f"{type(self).__name__} has no subgradient")
