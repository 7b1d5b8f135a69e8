"""The metrics of the reported model on the clients of a split."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
import tensorflow_federated as tff

from fedatlas.federated.objectives import mean_over_examples
from fedatlas.federated.pieces import PIECE
from fedatlas.federated.reading import NO_CLIENT, Examples
from fedatlas.federated.setting import Setting
from fedatlas.problems.base import Batch, Problem


def evaluate_computation(setting: Setting, split: str) -> Any:
    """(params [G, 1, d], numbers [chunks, chunk]) -> {metric: [G], "weight": []}, sums over the shard's clients.

    With `problem.stationarity` also the gradient [G, d].
    """
    reader, problem = setting.readers[split], setting.problem
    sums = _piece_by_piece if problem.one_by_one else _all_at_once

    @tf.function(jit_compile=problem.compile == "xla", autograph=False)
    def one_chunk(params, examples):
        weights = setting.weights(examples.counts)
        return sums(problem, params, examples, weights) | {"weight": tf.reduce_sum(weights)}

    def evaluate(params, clients):
        def add(sums, numbers):
            return tf.nest.map_structure(tf.add, sums, one_chunk(params, reader.read(numbers)))

        zeros = tf.nest.map_structure(tf.zeros_like, one_chunk(params, reader.read(clients[0] * 0 + NO_CLIENT)))
        return tf.foldl(add, clients, zeros)

    return lambda *types: tff.tensorflow.computation(
        evaluate, tff.to_type([("params", types[0]), ("clients", types[1])])
    )


def _all_at_once(problem: Problem, params: tf.Tensor, examples: Examples, weights: tf.Tensor) -> dict[str, tf.Tensor]:
    """The examples of all clients as those of one: they share the model, which is then read once."""
    there = tf.sequence_mask(examples.counts, examples.x.shape[1])
    pooled = (tf.reshape(a, [1, -1, *a.shape[2:]]) for a in (examples.x, examples.y, there))
    with tf.GradientTape() as tape:
        tape.watch(params)
        metrics = {
            name: tf.reduce_sum(mean_over_examples(tf.reshape(values, [-1, *there.shape]), there) * weights, -1)
            for name, values in problem.example_metrics(params, Batch(*pooled)).items()
        }
        total = tf.reduce_sum(metrics["loss"])
    if problem.stationarity:
        metrics["gradient"] = tape.gradient(total, params)[:, 0]
    return metrics


def _piece_by_piece(
    problem: Problem, params: tf.Tensor, examples: Examples, weights: tf.Tensor
) -> dict[str, tf.Tensor]:
    """The same without what fills up the clients, and so many examples at once as a network has memory for.

    Behind them stands one example of no weight, for convolutions fail on none.
    """
    there = tf.sequence_mask(examples.counts, examples.x.shape[1])
    x, y = (tf.concat([tf.boolean_mask(a, there), tf.zeros_like(a[0, :1])], 0) for a in (examples.x, examples.y))
    shares = tf.repeat(weights / tf.cast(tf.maximum(examples.counts, 1), weights.dtype), examples.counts)
    count = tf.size(shares)
    shares = tf.pad(shares, [[0, 1]])

    def sums(start: tf.Tensor) -> dict[str, tf.Tensor]:
        share = shares[start : start + PIECE]
        piece = Batch(*(a[None, start : start + PIECE] for a in (x, y)), tf.ones_like(share, tf.bool)[None])
        metrics = problem.example_metrics(params, piece)
        return {name: tf.reduce_sum(values[:, 0] * share, -1) for name, values in metrics.items()}

    return tf.foldl(
        lambda sum, start: tf.nest.map_structure(tf.add, sum, sums(start)), tf.range(0, count, PIECE), sums(count)
    )
