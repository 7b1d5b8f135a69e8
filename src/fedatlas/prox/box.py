"""A box."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.errors import AtlasError
from fedatlas.lazy import tf
from fedatlas.prox.base import Array, Penalty


@dataclass(frozen=True)
class Box(Penalty):
    """The indicator of {w : low <= w_k <= high}."""

    indicator = True

    low: float
    high: float

    def __post_init__(self):
        if self.low > self.high:
            raise AtlasError(f"'penalty.low' is {self.low!r}, but must not be above 'penalty.high', {self.high!r}.")

    def prox(self, v: Array, step: Array) -> Array:
        return tf.clip_by_value(v, self.low, self.high)

    def violation(self, w: Array) -> Array:
        """The largest distance of a coordinate from [low, high], as a fraction of high - low (1 if that is 0)."""
        return tf.reduce_max(tf.nn.relu(tf.maximum(self.low - w, w - self.high)), -1) / (self.high - self.low or 1)
