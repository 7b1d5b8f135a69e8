"""Values of single examples, computed for a few of them at once: a network keeps the outputs of all its layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from fedatlas.problems.base import Batch
from fedatlas.structure import absent

MICROBATCH = 250  # examples at once


def in_microbatches(values_of: Callable[[Batch], Any], batch: Batch) -> Any:
    """`values_of(batch)`, a structure of [..., N], by microbatches, and no more of it than there are examples.

    Not for XLA, which must know how many these are.

    Args:
        batch: the examples of one client, x [1, N, ...]; those that are there come first. What fills up the client is
            not computed and its values are 0, but for one where there are no examples at all.
    """
    size = batch.mask.shape[1] or tf.shape(batch.mask)[1]
    count = _present(batch)

    def microbatch(start: tf.Tensor) -> Any:
        return values_of(tf.nest.map_structure(lambda a: a[:, start : tf.minimum(start + MICROBATCH, count)], batch))

    def longer(done: Any, start: tf.Tensor) -> Any:
        return tf.nest.map_structure(lambda *parts: tf.concat(parts, -1), done, microbatch(start))

    def filled_up(values: tf.Tensor) -> tf.Tensor:
        filled = tf.pad(values, [*[[0, 0]] * (values.shape.rank - 1), [0, size - count]])
        return tf.ensure_shape(filled, [*values.shape[:-1], batch.mask.shape[1]])

    return tf.nest.map_structure(
        filled_up, tf.foldl(longer, tf.range(0, count, MICROBATCH)[1:], microbatch(tf.constant(0)))
    )


def without_padding(batch: Batch) -> Batch:
    """A batch of one client, x [1, B, ...], without what fills it up behind; an empty one keeps one place."""
    count, numbers = _present(batch), batch.numbers
    return batch._replace(
        x=batch.x[:, :count],
        y=batch.y[:, :count],
        mask=batch.mask[:, :count],
        numbers=numbers if absent(numbers) else numbers[:, :count],
    )


def _present(batch: Batch) -> tf.Tensor:
    """How many of its examples are there; 1 where none is, for convolutions fail on none."""
    return tf.maximum(tf.reduce_sum(tf.cast(batch.mask, tf.int32)), 1)
