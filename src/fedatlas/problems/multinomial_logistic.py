"""Softmax regression, with intercepts."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from fedatlas.lazy import tf
from fedatlas.problems._blocks import Block
from fedatlas.problems._layers import classification_metrics, cross_entropy, dense, flat_inputs
from fedatlas.problems._linear import DenseLayer, with_ones
from fedatlas.problems.base import CLASSIFIED, Array, Batch, Measured


@dataclass(frozen=True)
class MultinomialLogistic(DenseLayer):
    """Cross-entropy of softmax(W x + b) with x flattened, bytes as fractions of 255; parameters (W, b), row by row.

    The constrained logistic regression of Yuan et al. 2021 (arXiv 2011.08474), section A.5; with `mu`, which adds
    mu/2 ||(W, b)||^2 to every client's objective, that of Park and Xu 2023 (arXiv 2305.10294), eq. 31.

    Attributes:
        penalise_biases: whether the penalty acts on b as on W, as `mu` does.
        gradient_norm: whether the squared norm of the gradient of the mean loss is evaluated, the `stationarity_gap`.
    """

    bounded = True

    mu: float = 0.0
    penalise_biases: bool = False
    gradient_norm: bool = False

    @property
    def stationarity(self) -> bool:  # type: ignore[override]
        return self.gradient_norm

    @property
    def blocks(self) -> list[Block]:
        layer = dense("output", math.prod(self.data.shape), self.outputs)
        return [replace(layer, bias_column=not self.penalise_biases)]

    @property
    def outputs(self) -> int:
        return self.data.classes

    def inputs(self, batch: Batch, dtype: Any) -> Array:
        return with_ones(flat_inputs(batch, dtype), dtype)

    def output_losses(self, z: Array, batch: Batch) -> Array:
        return cross_entropy(z, batch)

    def hessian_diagonal(self, squares: Array) -> Array:
        return tf.tile(squares / 4, [1, self.outputs]) + self.mu  # p (1 - p) <= 1/4

    def regulariser(self, w: Array) -> Array:
        return self.mu / 2 * tf.reduce_sum(tf.square(w), -1) if self.mu else super().regulariser(w)

    def probabilities(self, w: Array, batch: Batch) -> Array:
        return tf.nn.softmax(self.products(w, batch))

    @property
    def measured(self) -> Measured:
        return Measured((*CLASSIFIED.examples, *(("cross_entropy",) if self.mu else ())))

    def example_metrics(self, w: Array, batch: Batch) -> dict[str, Array]:
        z = self.products(w, batch)
        metrics = classification_metrics(z, batch)
        if self.mu:
            metrics |= {"cross_entropy": metrics["loss"], "loss": self.losses_at(z, w, batch)}
        return metrics
