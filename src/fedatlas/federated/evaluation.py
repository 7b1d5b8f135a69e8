"""The metrics of the reported model on the clients of a split.

What is evaluated is given to the computation: pieces of a split, each a stretch of its examples, one client after
another and none padded. A mean over clients of means over examples is a sum over examples, each with a share.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from fedatlas.federated.pieces import PIECE
from fedatlas.federated.reading import ClientReader
from fedatlas.federated.setting import Setting
from fedatlas.federated.tracing import computation
from fedatlas.problems.base import Batch

PIECE_BYTES = 2**25  # of what is computed from one piece, where a problem is not a network
HELD_BYTES = 2**27  # of a split that stays in memory; a larger one is read again at every evaluation


class Piece(NamedTuple):
    """Examples x [N, ...], y [N, ...], and the share of each in the mean over the clients, [N]."""

    x: Any
    y: Any
    shares: Any


class Pieces:
    """A split in pieces, to be iterated over at every evaluation.

    Attributes:
        weight: the sum of the clients' weights, by which sums of the pieces are divided.
    """

    def __init__(self, setting: Setting, reader: ClientReader):
        self._reader, self._size = reader, _examples_at_once(setting, reader)
        weights = setting.weights(tf.constant(reader.sizes)).numpy()
        shares = weights / np.maximum(reader.sizes, 1).astype(weights.dtype)
        self._shares, self.weight = np.repeat(shares, reader.sizes), weights.sum()
        self._held: list[Piece] = []
        if reader.sizes.sum() * reader.example_bytes <= HELD_BYTES:
            self._held = [tf.nest.map_structure(tf.constant, piece) for piece in self._read()]

    def __iter__(self) -> Iterator[Piece]:
        return iter(self._held) if self._held else self._read()

    def _read(self) -> Iterator[Piece]:
        for start in range(0, max(len(self._shares), 1), self._size):
            stop = min(start + self._size, len(self._shares))
            yield Piece(*self._reader.stretch(start, stop), self._shares[start:stop])


def _examples_at_once(setting: Setting, reader: ClientReader) -> int:
    problem = setting.problem
    if problem.one_by_one:
        return PIECE
    width = -(-problem.num_params // math.prod(reader.features[0].shape))  # outputs, and hidden units if there are any
    computed = setting.num_configurations * width * setting.itemsize
    return max(PIECE, PIECE_BYTES // max(reader.example_bytes, computed))


def evaluate_computation(setting: Setting) -> Any:
    """(params [G, 1, d], Piece) -> {metric: [G]}, sums over the examples of the piece.

    With `problem.stationarity` also the gradient [G, d].
    """
    problem = setting.problem

    def evaluate(params, piece):
        batch = Batch(piece.x[None], piece.y[None], tf.ones([1, tf.size(piece.shares)], tf.bool))
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            if problem.stationarity:
                tape.watch(params)
            values = problem.example_metrics(params, batch)
            sums = {name: tf.reduce_sum(of_each[:, 0] * piece.shares, -1) for name, of_each in values.items()}
            total = tf.reduce_sum(sums["loss"])
        if problem.stationarity:
            sums["gradient"] = tape.gradient(total, params)[:, 0]
        return sums

    return lambda *types: computation(evaluate, *types)


def piece_type(setting: Setting) -> Any:
    """The type of a piece of any split."""
    x, y = setting.readers["train"].features
    of_examples = [tff.TensorType(np.dtype(feature.dtype).type, [None, *feature.shape]) for feature in (x, y)]
    return tff.to_type(Piece(*of_examples, tff.TensorType(np.dtype(setting.dtype).type, [None])))
