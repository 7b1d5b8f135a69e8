"""The local work of a chunk of clients, vectorised over configurations and clients.

This is the only loop over local steps in the atlas.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow as tf

from fedatlas.algorithms.base import Algorithm
from fedatlas.problems.base import Batch, Problem


class Sums(NamedTuple):
    """What a shard of clients adds up to; the mean update is `update` / `weight`.

    update: a structure of [G, 1, ...], the weighted sum of the clients' updates.
    weight: [G, 1, 1], the sum of their weights; a client whose update is not finite has none.
    clients: [], how many took part.
    gradients: [], the number of examples whose gradient was evaluated, for each configuration.
    """

    update: Any
    weight: tf.Tensor
    clients: tf.Tensor
    gradients: tf.Tensor


class BatchObjective:
    """f: the mean loss of each client over a batch, as a function of the parameters [G, C, d]."""

    def __init__(self, problem: Problem, batch: Batch):
        self._problem, self._batch = problem, batch
        self.gradient_calls = 0

    def gradient(self, w: tf.Tensor) -> tf.Tensor:
        """The gradient at w [G, C, d], of the same shape; 0 for a client whose batch is empty.

        The loss of (g, c) depends on w[g, c] alone, so that the gradient of the sum over all (g, c) holds each
        one's own gradient.
        """
        self.gradient_calls += 1
        with tf.GradientTape() as tape:
            tape.watch(w)
            total = tf.reduce_sum(mean_over_examples(self._problem.losses(w, self._batch), self._batch.mask))
        return tape.gradient(total, w)


def mean_over_examples(values: tf.Tensor, mask: tf.Tensor) -> tf.Tensor:
    """The mean of values [G, C, B] over the examples that are there, [G, C]; 0 where there are none."""
    present = tf.cast(mask, values.dtype)
    weights = present / tf.maximum(tf.reduce_sum(present, -1, keepdims=True), 1)
    return tf.reduce_sum(values * weights, -1)


def train_chunk(
    algorithm: Algorithm, problem: Problem, message: Any, client: Any, batches: Batch, steps: int, weights: tf.Tensor
) -> tuple[Sums, Any]:
    """Trains a chunk of clients for a round.

    Args:
        message: what the server sent, a structure of [G, 1, ...].
        client: the persistent states of the chunk, a structure of [G, C, ...], or ().
        batches: with a leading axis of steps, or a single batch that every step uses.
        steps: of a single batch; with an axis of steps, those after the last that has an example are left out.
        weights: [C], each client's weight in the mean; 0 for one that is not there.

    Returns:
        What the chunk adds to the round, and the clients' new states.
    """
    width = batches.mask.shape[1] or tf.shape(batches.mask)[1]
    dtype = weights.dtype
    start = tf.nest.map_structure(lambda a: _widen(a, width), algorithm.start(message, client))
    calls = 0

    def step(i, local, k, gradients):
        nonlocal calls
        batch = tf.nest.map_structure(lambda a: a[0 if batches.mask.shape[0] == 1 else i], batches)
        objective = BatchObjective(problem, batch)
        moved = algorithm.step(local, k, message, client, objective)
        calls = objective.gradient_calls
        active = tf.reduce_any(batch.mask, -1)[None, :, None]
        local = tf.nest.map_structure(lambda new, old: tf.where(active, new, old), moved, local)
        evaluated = calls * tf.reduce_sum(tf.cast(batch.mask, tf.int32))
        return i + 1, local, k + tf.cast(active, dtype), gradients + evaluated

    if batches.mask.shape[0] != 1:
        steps = tf.reduce_sum(tf.cast(tf.reduce_any(batches.mask, [1, 2]), tf.int32))
    counters = tf.zeros([1, width, 1], dtype), tf.constant(0)
    _, local, k, gradients = tf.while_loop(lambda i, *_: i < steps, step, (tf.constant(0), start, *counters))
    update, state = algorithm.finish(local, k, message, client)
    finite = _all_finite(update)  # [G, C, 1]
    weights = tf.where(finite, weights[None, :, None], 0)
    total = tf.nest.map_structure(lambda u: tf.reduce_sum(tf.where(finite, u, 0) * weights, 1, keepdims=True), update)
    state = tf.nest.map_structure(lambda new, old: tf.where(finite, new, old), state, client)
    there = tf.reduce_sum(tf.cast(tf.reduce_any(batches.mask, [0, 2]), dtype))
    return Sums(total, tf.reduce_sum(weights, 1, keepdims=True), there, gradients), state


def one_after_another(train: Callable[..., tuple[Sums, Any]], groups: int, arguments: Any) -> tuple[Sums, Any]:
    """`train` on one group of configurations after another, and its results for all of them.

    Args:
        arguments: a structure of [G, ...].
    """

    def split(array: tf.Tensor) -> tf.Tensor:
        return tf.reshape(array, [groups, array.shape[0] // groups, *array.shape[1:]])

    def join(array: tf.Tensor) -> tf.Tensor:
        return tf.reshape(array, [-1, *array.shape[2:]]) if array.shape.rank > 1 else array[0]  # counts are all equal

    grouped = tf.nest.map_structure(split, arguments)
    like = train(*tf.nest.map_structure(lambda a: a[0], grouped))  # only for its structure
    signature = tf.nest.map_structure(tf.TensorSpec.from_tensor, like)
    return tf.nest.map_structure(join, tf.map_fn(lambda group: train(*group), grouped, fn_output_signature=signature))


def _widen(array: tf.Tensor, width: Any) -> tf.Tensor:
    """[G, 1, ...] as [G, C, ...]: every client starts from the server's value."""
    if array.shape[1] != 1 or width == 1:
        return array
    return tf.repeat(array, width, axis=1)


def _all_finite(update: Any) -> tf.Tensor:
    leaves = [tf.reduce_all(tf.math.is_finite(leaf), -1, keepdims=True) for leaf in tf.nest.flatten(update)]
    finite = leaves[0]
    for leaf in leaves[1:]:
        finite = finite & leaf
    return finite
