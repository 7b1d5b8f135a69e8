"""Logistic regression of two classes, with an intercept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fedatlas.lazy import tf
from fedatlas.problems.base import Array, Batch
from fedatlas.problems.blocks import Block
from fedatlas.problems.linear import LinearModel, binary_accuracy, binary_cross_entropy, with_ones


@dataclass(frozen=True)
class BinaryLogistic(LinearModel):
    """Loss log(1 + exp(-s (x'w + b))) with s = 1 for the label 1 and s = -1 for the label 0; parameters (w, b).

    The sparse logistic regression of Yuan et al. 2021 (arXiv 2011.08474), section A.4. Its density is the share of the
    coordinates of w whose absolute value exceeds `nonzero_above`.
    """

    nonzero_above: float

    @property
    def blocks(self) -> list[Block]:
        return [Block("kernel", self.data.shape, penalised=True), Block("bias", (1,), penalised=False)]

    def inputs(self, batch: Batch, dtype: Any) -> Array:
        return with_ones(batch.x, dtype)

    def output_losses(self, z: Array, batch: Batch) -> Array:
        return binary_cross_entropy(z, batch)

    def example_metrics(self, w: Array, batch: Batch) -> dict[str, Array]:
        z = self.products(w, batch)
        return {"loss": self.losses_at(z, w, batch), "accuracy": binary_accuracy(z, batch)}

    def model_metrics(self, w: Array) -> dict[str, Array]:
        return {"density": tf.reduce_mean(tf.cast(tf.abs(w[:, :-1]) > self.nonzero_above, tf.float64), -1)}
