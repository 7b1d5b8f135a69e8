"""The metrics of the reported model on the clients of a split.

What is evaluated is given to the computation: microbatches of a split, each a stretch of its examples, one client after
another and none padded. A mean over clients of means over examples is a sum over examples, each with a share.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from fedatlas.federated.client_reader import ClientReader
from fedatlas.federated.microbatches import MICROBATCH
from fedatlas.federated.setting import Setting
from fedatlas.federated.tracing import computation
from fedatlas.problems.base import Batch

MICROBATCH_BYTES = 2**25  # of what is computed from one microbatch, where a problem is not a network
HELD_BYTES = 2**27  # of a split that stays in memory; a larger one is read again at every evaluation


class Microbatch(NamedTuple):
    """Examples x [N, ...], y [N, ...], and the share of each in the mean over the clients, [N]."""

    x: Any
    y: Any
    shares: Any


class Microbatches:
    """A split in microbatches, to be iterated over at every evaluation.

    Attributes:
        weight: the sum of the clients' weights, by which sums of the microbatches are divided.
    """

    def __init__(self, setting: Setting, reader: ClientReader):
        self._reader, self._size = reader, _examples_at_once(setting, reader)
        weights = setting.weights(tf.constant(reader.sizes)).numpy()
        shares = weights / np.maximum(reader.sizes, 1).astype(weights.dtype)
        self._shares, self.weight = np.repeat(shares, reader.sizes), weights.sum()
        self._held: list[Microbatch] = []
        if reader.sizes.sum() * reader.example_bytes <= HELD_BYTES:
            self._held = [tf.nest.map_structure(tf.constant, microbatch) for microbatch in self._read()]

    def __iter__(self) -> Iterator[Microbatch]:
        return iter(self._held) if self._held else self._read()

    def _read(self) -> Iterator[Microbatch]:
        for start in range(0, max(len(self._shares), 1), self._size):
            stop = min(start + self._size, len(self._shares))
            x, y = self._reader.stretch(start, stop)
            yield Microbatch(x, y, self._shares[start:stop])


def _examples_at_once(setting: Setting, reader: ClientReader) -> int:
    problem = setting.problem
    if problem.one_by_one:
        return MICROBATCH
    width = -(-problem.num_params // math.prod(reader.features[0].shape))  # outputs, and hidden units if there are any
    computed = setting.num_configurations * width * setting.itemsize
    return max(MICROBATCH, MICROBATCH_BYTES // max(reader.example_bytes, computed))


def evaluate_computation(setting: Setting) -> Any:
    """(params [G, 1, d], Microbatch) -> {metric: [G]}, sums over the examples of the microbatch.

    With `problem.stationarity` also the gradient [G, d].
    """
    problem = setting.problem

    def evaluate(params, microbatch):
        batch = Batch(microbatch.x[None], microbatch.y[None], tf.ones([1, tf.size(microbatch.shares)], tf.bool))
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            if problem.stationarity:
                tape.watch(params)
            values = problem.example_metrics(params, batch)
            sums = {name: tf.reduce_sum(of_each[:, 0] * microbatch.shares, -1) for name, of_each in values.items()}
            total = tf.reduce_sum(sums["loss"])
        if problem.stationarity:
            sums["gradient"] = tape.gradient(total, params)[:, 0]
        return sums

    return lambda *types: computation(evaluate, *types)


def microbatch_type(setting: Setting) -> Any:
    """The type of a microbatch of any split."""
    x, y = (
        tff.TensorType(np.dtype(feature.dtype).type, [None, *feature.shape])
        for feature in setting.readers["train"].features
    )
    return tff.to_type(Microbatch(x, y, tff.TensorType(np.dtype(setting.dtype).type, [None])))
