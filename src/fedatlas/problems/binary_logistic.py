"""Logistic regression of two classes, with an intercept."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from fedatlas.lazy import tf
from fedatlas.problems._blocks import Block
from fedatlas.problems._linear import DenseLayer, TwoClasses, binary_cross_entropy, with_ones
from fedatlas.problems.base import Array, Batch, Measured


@dataclass(frozen=True)
class BinaryLogistic(TwoClasses, DenseLayer):
    """Loss log(1 + exp(-s (x'w + b))) with s = 1 for the label 1 and s = -1 for the label 0; parameters (w, b).

    The sparse logistic regression of Yuan et al. 2021 (arXiv 2011.08474), section A.4. Its density is the share of the
    coordinates of w whose absolute value exceeds `nonzero_above`.

    Attributes:
        spread: (w, b) starts uniform within spread / sqrt(d), as PyTorch's linear layers do with 1; with 0 as `start`.
    """

    nonzero_above: float
    spread: float = 0.0

    @property
    def blocks(self) -> list[Block]:
        return [Block("kernel", self.data.shape, penalised=True), Block("bias", (1,), penalised=False)]

    def initial(self, seed: int) -> np.ndarray:
        if not self.spread:
            return super().initial(seed)
        bound = self.spread / math.sqrt(math.prod(self.data.shape))
        return np.random.default_rng(seed).uniform(-bound, bound, self.num_params)

    def inputs(self, batch: Batch, dtype: Any) -> Array:
        return with_ones(batch.x, dtype)

    def output_losses(self, z: Array, batch: Batch) -> Array:
        return binary_cross_entropy(z, batch)

    @property
    def measured(self) -> Measured:
        return super().measured._replace(parameters=("density",))

    def probabilities(self, w: Array, batch: Batch) -> Array:
        p = tf.sigmoid(self.products(w, batch))
        return tf.concat([1 - p, p], -1)

    def model_metrics(self, w: Array) -> dict[str, Array]:
        return {"density": tf.reduce_mean(tf.cast(tf.abs(w[:, :-1]) > self.nonzero_above, tf.float64), -1)}
