"""Reading clients of a store inside a TensorFlow graph, by their numbers.

The bytes of a client never pass through the federated runtime: a TFF client gets client numbers and reads the files.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from fedatlas.data.store import ClientStore

NO_CLIENT = -1  # fills up the last chunk of a shard


class Examples(NamedTuple):
    """All examples of C clients, padded to the same number: x [C, N, ...], y [C, N, ...], counts [C]."""

    x: tf.Tensor
    y: tf.Tensor
    counts: tf.Tensor


class ClientReader:
    """Reads the clients of one split of a store, padded to the size of its largest client.

    Attributes:
        features: those of x and y.
        sizes: the clients' numbers of examples, [clients]; `most` is the largest of them.
    """

    def __init__(self, store: ClientStore, split: str):
        self._store, self._split = store, split
        self._folder = str((store.path / split).resolve())
        self.features = [store.features[name] for name in ("x", "y")]
        self.sizes = np.asarray(store.sizes(split), np.int64)
        self.most = max(int(self.sizes.max()), 1)

    @property
    def num_clients(self) -> int:
        return len(self.sizes)

    @property
    def example_bytes(self) -> int:
        return sum(feature.example_bytes for feature in self.features)

    def stretch(self, start: int, stop: int) -> list[np.ndarray]:
        """x and y of the examples of this stretch of the split, whose clients follow one another."""
        ends = np.cumsum(self.sizes)
        first, last = np.searchsorted(ends, [start, max(stop - 1, start)], "right")
        clients = [self._store.read(self._split, client) for client in range(first, min(last, len(ends) - 1) + 1)]
        start, stop = (place - (ends[first] - self.sizes[first]) for place in (start, stop))
        return [np.concatenate([arrays[f.name] for arrays in clients])[start:stop] for f in self.features]

    def read(self, clients: tf.Tensor) -> Examples:
        """The examples of the clients with these numbers [C]; NO_CLIENT has none."""
        there = tf.maximum(clients, 0)
        counts = tf.where(tf.equal(clients, NO_CLIENT), 0, tf.gather(tf.constant(self.sizes, tf.int32), there))
        names = tf.strings.join([self._folder, "/", tf.strings.as_string(there, width=6, fill="0"), ".bin"])
        contents = tf.map_fn(tf.io.read_file, names, fn_output_signature=tf.TensorSpec([], tf.string))
        arrays, start = [], tf.zeros_like(counts)
        for feature in self.features:
            length = counts * feature.example_bytes
            own = tf.strings.substr(contents, start, length)
            flat = tf.io.decode_raw(own, tf.as_dtype(feature.dtype), fixed_length=self.most * feature.example_bytes)
            arrays.append(tf.reshape(flat, [clients.shape[0] or -1, self.most, *feature.shape]))
            start += length
        return Examples(*arrays, counts)

    def read_pooled(self, clients: tf.Tensor) -> Examples:
        """The examples of these clients as those of one client, [1, sum of N, ...]."""
        padded = self.read(clients)
        there = tf.sequence_mask(padded.counts, self.most)
        x, y = (tf.boolean_mask(array, there)[None] for array in (padded.x, padded.y))
        total = int(self.sizes.sum())
        x, y = (tf.ensure_shape(array, [1, total, *array.shape[2:]]) for array in (x, y))
        return Examples(x, y, tf.reduce_sum(padded.counts)[None])
