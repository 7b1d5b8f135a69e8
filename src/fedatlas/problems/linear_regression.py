"""Least squares with an intercept, and how well the support of the truth is recovered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fedatlas.lazy import tf
from fedatlas.problems._blocks import Block
from fedatlas.problems._linear import DenseLayer, squared_errors, with_ones
from fedatlas.problems.base import Array, Batch, Measured


@dataclass(frozen=True)
class LinearRegression(DenseLayer):
    """Loss (x'w + b - y)^2, without a factor 1/2 (Yuan et al. 2021, eq. 5.1); parameters (w, b).

    Where the data has a true w (`w_real`), the support of w is compared with it (section A.2.1): a coordinate counts
    as non-zero when its absolute value exceeds `nonzero_above`.
    """

    nonzero_above: float

    @property
    def blocks(self) -> list[Block]:
        return [Block("kernel", self.data.shape, penalised=True), Block("bias", (1,), penalised=False)]

    def inputs(self, batch: Batch, dtype: Any) -> Array:
        return with_ones(batch.x, dtype)

    def output_losses(self, z: Array, batch: Batch) -> Array:
        return squared_errors(z, batch)

    @property
    def measured(self) -> Measured:
        of_truth = ("precision", "recall", "f1", "recovery_error") if "w_real" in self.data.truth else ()
        return Measured(parameters=("density", *of_truth))

    def model_metrics(self, w: Array) -> dict[str, Array]:
        kernel = w[:, :-1]
        found = tf.abs(kernel) > self.nonzero_above
        metrics = {"density": _share(found)}
        if "w_real" in self.data.truth:
            truth = tf.constant(self.data.truth["w_real"], w.dtype)
            metrics |= _support_metrics(found, tf.not_equal(truth, 0))
            metrics["recovery_error"] = tf.norm(kernel - truth, axis=-1)
        return metrics


def _share(flags: Array) -> Array:
    return tf.reduce_mean(tf.cast(flags, tf.float64), -1)


def _support_metrics(found: Array, real: Array) -> dict[str, Array]:
    """Precision, recall and F1 of the support, each [G]; 0 where nothing is found."""
    hits, found, real = (_share(flags) for flags in (found & real, found, real))
    return {
        "precision": tf.math.divide_no_nan(hits, found),
        "recall": tf.math.divide_no_nan(hits, real),
        "f1": tf.math.divide_no_nan(2 * hits, found + real),
    }
