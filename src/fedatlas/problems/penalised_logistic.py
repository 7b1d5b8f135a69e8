"""Logistic regression of two classes with a bounded, non-convex regulariser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fedatlas.lazy import tf
from fedatlas.problems._blocks import Block
from fedatlas.problems._linear import TwoClasses, binary_cross_entropy
from fedatlas.problems.base import Array, Batch


@dataclass(frozen=True)
class PenalisedLogistic(TwoClasses):
    """log(1 + exp(-b a'x)) + sum_k lam alpha x_k^2 / (1 + alpha x_k^2), with b = 1 for the label 1, else -1.

    The experiment of Zhang et al. 2021 (FedPD, arXiv 2005.11418), section 4. There is no intercept beside the
    features: the data has a constant one.
    """

    stationarity = True

    lam: float
    alpha: float

    @property
    def blocks(self) -> list[Block]:
        return [Block("kernel", self.data.shape, penalised=True)]

    def inputs(self, batch: Batch, dtype: Any) -> Array:
        return tf.cast(batch.x, dtype)

    def output_losses(self, z: Array, batch: Batch) -> Array:
        return binary_cross_entropy(z, batch)

    def regulariser(self, w: Array) -> Array:
        squares = self.alpha * tf.square(w)
        return self.lam * tf.reduce_sum(squares / (1 + squares), -1)
