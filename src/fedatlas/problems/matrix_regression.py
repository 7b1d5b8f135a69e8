"""Least squares over matrices with an intercept, and how well the rank of the truth is recovered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fedatlas.lazy import tf
from fedatlas.problems._blocks import Block
from fedatlas.problems._linear import DenseLayer, squared_errors, with_ones
from fedatlas.problems.base import Array, Batch, Measured
from fedatlas.prox._singular import singular_values


@dataclass(frozen=True)
class MatrixRegression(DenseLayer):
    """Loss (<X, W> + b - y)^2, without a factor 1/2 (Yuan et al. 2021, eq. 5.2); parameters (W, b), W row by row.

    The rank counts the singular values above `rank_above` (section A.3.1). Where the data has a true W (`w_real`), the
    rank error is the distance between the ranks, and the recovery error that to W in the Frobenius norm.
    """

    compile = "graph"  # XLA's eigen-decomposition takes 17 times as long as Eigen's

    rank_above: float

    @property
    def blocks(self) -> list[Block]:
        return [Block("kernel", self.data.shape, penalised=True), Block("bias", (1,), penalised=False)]

    def inputs(self, batch: Batch, dtype: Any) -> Array:
        return with_ones(tf.reshape(batch.x, tf.concat([tf.shape(batch.x)[:2], [self.num_params - 1]], 0)), dtype)

    def output_losses(self, z: Array, batch: Batch) -> Array:
        return squared_errors(z, batch)

    @property
    def measured(self) -> Measured:
        of_truth = ("rank_error", "recovery_error") if "w_real" in self.data.truth else ()
        return Measured(parameters=("rank", *of_truth))

    def model_metrics(self, w: Array) -> dict[str, Array]:
        kernel = tf.reshape(w[:, :-1], [-1, *self.data.shape])
        above = singular_values(kernel) > self.rank_above
        metrics = {"rank": tf.reduce_sum(tf.cast(above, tf.float64), -1)}
        if "w_real" in self.data.truth:
            truth = self.data.truth["w_real"]
            metrics["rank_error"] = tf.abs(metrics["rank"] - float(np.linalg.matrix_rank(truth)))
            metrics["recovery_error"] = tf.norm(kernel - tf.constant(truth, w.dtype), axis=[-2, -1])
        return metrics
