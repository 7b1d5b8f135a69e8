"""The contract of penalties psi: a value, a proximal operator, a subgradient; of sets, how far outside a point is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from fedatlas.lazy import tf

Array = Any  # a tf.Tensor whose last axes are the parameters


def nonnegative() -> Any:
    """Declares an option that must be >= 0."""
    return field(metadata={"at_least": 0.0})


@dataclass(frozen=True)
class Penalty:
    """A convex function psi, possibly the indicator of a set; its dataclass fields are its options.

    Arrays have any leading axes and the parameters as the last `axes`: [..., d] or [..., p, q]. A step has the same
    axes, the last ones of length 1. What is not finite comes out not finite, so that divergence is seen.

    Class attributes:
        axes: 1 where psi is a function of vectors, 2 where it is a function of matrices.
        indicator: whether psi is 0 on a set and infinite elsewhere; prox is then the projection, whatever the step.
    """

    axes: ClassVar[Literal[1, 2]] = 1
    indicator: ClassVar[bool] = False

    def value(self, w: Array) -> Array:
        """psi(w), [...]; an indicator is reported as 0, `violation` says whether w is in the set."""
        if self.indicator:
            return self._zero(w)
        raise NotImplementedError

    def prox(self, v: Array, step: Array) -> Array:
        """prox_{step psi}(v) = argmin_u 1/2 ||u - v||^2 + step psi(u), of the shape of v; step >= 0."""
        raise NotImplementedError

    def subgradient(self, w: Array) -> Array:
        """An element of the subdifferential of psi at w, of its shape."""
        raise NotImplementedError(f"{type(self).__name__} has no subgradient")

    def violation(self, w: Array) -> Array:
        """How far w lies outside the set, as a fraction of the set's size, [...]; 0 inside, and where psi is finite."""
        return self._zero(w)

    def _zero(self, w: Array) -> Array:
        return tf.reduce_sum(tf.zeros_like(w), list(range(-self.axes, 0)))
