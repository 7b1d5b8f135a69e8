"""Problems whose outputs are linear in the parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from fedatlas.lazy import tf
from fedatlas.problems.base import CLASSIFIED, Array, Batch, Measured, Problem


@dataclass(frozen=True)
class LinearModel(Problem):
    """The losses of outputs W x, with the parameters W a matrix (outputs, inputs) row by row."""

    linear = True

    def losses(self, w: Array, batch: Batch) -> Array:
        return self.losses_at(self.products(w, batch), w, batch)

    def products(self, w: Array, batch: Batch) -> Array:
        """The outputs z, [G, C, B, o]."""
        return outputs_of(w, self.inputs(batch, w.dtype), self.outputs)

    def losses_at(self, z: Array, w: Array, batch: Batch) -> Array:
        """The losses of the outputs z of the parameters w, [G, C, B]."""
        return self.output_losses(z, batch) + self.regulariser(w)[..., None]


@dataclass(frozen=True)
class TwoClasses(LinearModel):
    """Tells two classes apart by the sign of its one output."""

    @property
    def measured(self) -> Measured:
        return CLASSIFIED

    def example_metrics(self, w: Array, batch: Batch) -> dict[str, Array]:
        z = self.products(w, batch)
        return {"loss": self.losses_at(z, w, batch), "accuracy": binary_accuracy(z, batch)}


@dataclass(frozen=True)
class DenseLayer(LinearModel):
    """One dense layer, its parameters row by row with the bias at the end of each.

    Attributes:
        start: `zero`, or `glorot` for kernels that start as Keras' dense layers do.
    """

    start: str = field(default="zero", kw_only=True, metadata={"among": ("zero", "glorot")})

    def initial(self, seed: int) -> np.ndarray:
        if self.start == "zero":
            return super().initial(seed)
        return glorot(np.random.default_rng(seed), self.num_params // self.outputs - 1, self.outputs)


def glorot(rng: np.random.Generator, inputs: int, outputs: int) -> np.ndarray:
    """A dense layer with a kernel uniform within sqrt(6 / (inputs + outputs)) and zero biases, [outputs (inputs + 1)].

    Glorot and Bengio, AISTATS 2010, equation 16.
    """
    bound = math.sqrt(6 / (inputs + outputs))
    layer = rng.uniform(-bound, bound, (outputs, inputs + 1))
    layer[:, -1] = 0
    return layer.ravel()


def outputs_of(w: Array, x: Array, outputs: int) -> Array:
    """The outputs W x, [G, C, B, outputs].

    The factor with more rows comes first. The other way round TensorFlow's product takes up to seven times as long.

    Args:
        w: the matrices W row by row, [G, C, outputs * d].
        x: the inputs [C, B, d] where all configurations have the same ones, else [G, C, B, d].
    """
    matrix = tf.reshape(w, tf.concat([tf.shape(w)[:2], [outputs, x.shape[-1]]], 0))
    shared = x.shape.rank == 3
    rows = outputs * (w.shape[0] or 1) if shared else outputs
    axes = "cbi" if shared else "gcbi"
    if (x.shape[-2] or rows) < rows:
        return tf.einsum(f"gcoi,{axes}->gcbo", matrix, x)
    return tf.einsum(f"{axes},gcoi->gcbo", x, matrix)


class Inputs(NamedTuple):
    """The inputs x of all examples, [C, B, d], and where many gradients are taken their transpose, [C, d, B].

    With few outputs a gradient by the transpose takes half the time, for its larger factor is read row by row.
    """

    rows: Array
    columns: Array | None

    @classmethod
    def of(cls, rows: Array, many: bool) -> Inputs:
        return cls(rows, tf.linalg.matrix_transpose(rows) if many else None)

    def weighted(self, weights: Array) -> Array:
        """The sums over the examples of weights [G, C, B, outputs] times x, [G, C, outputs, d]."""
        if self.columns is None:
            return tf.einsum("gcbo,cbi->gcoi", weights, self.rows)
        return tf.einsum("cib,gcbo->gcoi", self.columns, weights)


def with_ones(x: Array, dtype: Any) -> Array:
    """x [..., d] with a one behind, for the intercept; small beside w, which is then read whole, not in parts."""
    x = tf.cast(x, dtype)
    return tf.concat([x, tf.ones_like(x[..., :1])], -1)


def squared_errors(z: Array, batch: Batch) -> Array:
    """(z - y)^2 of outputs z [G, C, B, 1]; [G, C, B]."""
    return tf.square(tf.squeeze(z, -1) - tf.cast(batch.y, z.dtype))


def binary_cross_entropy(z: Array, batch: Batch) -> Array:
    """log(1 + exp(-s z)) of logits z [G, C, B, 1], with s = 1 for the label 1 and s = -1 for the label 0; [G, C, B]."""
    logits = tf.squeeze(z, -1)
    labels = tf.broadcast_to(tf.cast(batch.y, logits.dtype)[None], tf.shape(logits))
    return tf.nn.sigmoid_cross_entropy_with_logits(labels, logits)


def binary_accuracy(z: Array, batch: Batch) -> Array:
    """1 where the logit [G, C, B, 1] lies on the label's side of zero, else 0; [G, C, B]."""
    return tf.cast(tf.equal(tf.squeeze(z, -1) > 0, tf.cast(batch.y, tf.bool)[None]), z.dtype)
