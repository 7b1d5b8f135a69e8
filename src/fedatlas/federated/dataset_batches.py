"""The batches of a client that is a `tf.data` dataset, as the arrays that local steps take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tensorflow as tf

from fedatlas.problems.base import Batch

MOST = 2**16  # batches of a client in a round; TensorFlow keeps a place for each


def read_batches(dataset: Any) -> tuple[Batch, tf.Tensor]:
    """All batches of a dataset of batches, and the number of examples in them, in int32.

    x [K, 1, B, ...], y [K, 1, B, ...] and mask [K, 1, B], B the size of the largest; the last of the K is empty, so
    that a client without examples has one too. Every step has a key, drawn anew for each round.

    Args:
        dataset: of (x, y), or of mappings with the keys x and y, whose first axis is that of the examples.
    """
    x, y = pair(dataset.element_spec)
    nothing = tuple(tf.zeros([1, *spec.shape[1:]], spec.dtype) for spec in (x, y))
    marked = dataset.map(lambda *element: _marked(*pair(element[0] if len(element) == 1 else element)))
    ended = marked.concatenate(tf.data.Dataset.from_tensors((*nothing, tf.zeros([1], tf.bool))))
    shapes = ([None, *x.shape[1:]], [None, *y.shape[1:]], [None])
    xs, ys, mask = (array[:, None] for array in ended.padded_batch(MOST, shapes).get_single_element())
    keys = tf.random.uniform([tf.shape(mask)[0], 1, 2], maxval=tf.int32.max, dtype=tf.int32)
    return Batch(xs, ys, mask, keys), tf.reduce_sum(tf.cast(mask, tf.int32))


def joined(batches: Batch) -> Batch:
    """All batches [K, 1, B, ...] as one, [1, K B, ...], without keys."""

    def join(array: tf.Tensor) -> tf.Tensor:
        return tf.reshape(array, tf.concat([[1, -1], tf.shape(array)[3:]], 0))

    return Batch(*(tf.ensure_shape(join(array), [1, None, *array.shape[3:]]) for array in batches[:3]))


def pair(element: Any) -> tuple[Any, Any]:
    """x and y of an element of a dataset."""
    return (element["x"], element["y"]) if isinstance(element, Mapping) else (element[0], element[1])


def _marked(x: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    return x, y, tf.ones(tf.shape(x)[:1], tf.bool)
