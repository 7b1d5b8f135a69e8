"""Dense layers of classifiers over the axes [configuration, client, example]."""

from __future__ import annotations

import math

from fedatlas.lazy import tf
from fedatlas.problems._blocks import Block
from fedatlas.problems._linear import outputs_of, with_ones
from fedatlas.problems.base import Array, Batch


def dense(name: str, inputs: int, outputs: int) -> Block:
    """The block of a layer: a matrix (outputs, inputs) with the biases as a column behind it."""
    return Block(name, (outputs, inputs + 1), penalised=True, bias_column=True)


def flat_inputs(batch: Batch, dtype: Array) -> Array:
    """The examples as vectors, [C, B, inputs]; bytes as fractions of 255."""
    x = tf.cast(batch.x, dtype)
    if batch.x.dtype == "uint8":
        x = x / 255
    return tf.reshape(x, tf.concat([tf.shape(x)[:2], [math.prod(x.shape[2:])]], 0))


def apply_layer(w: Array, block: Block, x: Array) -> Array:
    """The outputs [G, C, B, outputs] of a layer with parameters w [G, C, block.size].

    Args:
        x: its inputs, [C, B, inputs] where all configurations have the same ones, else [G, C, B, inputs].
    """
    return outputs_of(w, with_ones(x, w.dtype), block.shape[0])


def cross_entropy(logits: Array, batch: Batch) -> Array:
    """The loss of every example, [G, C, B]."""
    return tf.nn.sparse_softmax_cross_entropy_with_logits(_labels(logits, batch), logits)


def classification_metrics(logits: Array, batch: Batch) -> dict[str, Array]:
    """Loss and accuracy of every example, [G, C, B]."""
    right = tf.equal(tf.argmax(logits, -1, output_type=tf.int32), _labels(logits, batch))
    return {"loss": cross_entropy(logits, batch), "accuracy": tf.cast(right, logits.dtype)}


def _labels(logits: Array, batch: Batch) -> Array:
    return tf.broadcast_to(tf.cast(batch.y, tf.int32)[None], tf.shape(logits)[:-1])
