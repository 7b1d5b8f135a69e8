"""Logistic regression of two classes, with an intercept."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.lazy import tf
from fedatlas.problems.base import Array, Batch, Problem
from fedatlas.problems.blocks import Block


@dataclass(frozen=True)
class BinaryLogistic(Problem):
    """Loss log(1 + exp(-s (x'w + b))) with s = 1 for the label 1 and s = -1 for the label 0; parameters (w, b).

    The sparse logistic regression of Yuan et al. 2021 (arXiv 2011.08474), section A.4. Its density is the share of the
    coordinates of w whose absolute value exceeds `nonzero_above`.
    """

    nonzero_above: float

    @property
    def blocks(self) -> list[Block]:
        return [Block("kernel", self.data.shape, penalised=True), Block("bias", (1,), penalised=False)]

    def losses(self, w: Array, batch: Batch) -> Array:
        return _cross_entropy(_logits(w, batch), batch)

    def example_metrics(self, w: Array, batch: Batch) -> dict[str, Array]:
        logits = _logits(w, batch)
        right = tf.equal(logits > 0, tf.cast(batch.y, tf.bool)[None])
        return {"loss": _cross_entropy(logits, batch), "accuracy": tf.cast(right, w.dtype)}

    def model_metrics(self, w: Array) -> dict[str, Array]:
        return {"density": tf.reduce_mean(tf.cast(tf.abs(w[:, :-1]) > self.nonzero_above, tf.float64), -1)}


def _logits(w: Array, batch: Batch) -> Array:
    """x'w + b, [G, C, B]."""
    x = tf.cast(batch.x, w.dtype)
    x = tf.concat([x, tf.ones_like(x[..., :1])], -1)  # small beside w, which is then read whole, not in parts
    return tf.einsum("gcd,cbd->gcb", w, x)


def _cross_entropy(logits: Array, batch: Batch) -> Array:
    labels = tf.broadcast_to(tf.cast(batch.y, logits.dtype)[None], tf.shape(logits))
    return tf.nn.sigmoid_cross_entropy_with_logits(labels, logits)
