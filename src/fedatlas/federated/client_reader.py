"""Reading clients of a store inside a TensorFlow graph, by their numbers.

The bytes of a client never pass through the federated runtime: a TFF client gets client numbers and reads the files,
or, in the engine of this process, finds them in memory.
"""

from __future__ import annotations

import itertools
import weakref
from collections import defaultdict
from typing import ClassVar, NamedTuple

import numpy as np
import tensorflow as tf

from fedatlas.data.store import ClientStore

NO_CLIENT = -1  # fills up the last chunk of a shard


class Examples(NamedTuple):
    """All examples of C clients, as rows of a table, padded to the same number.

    x [R, ...], y [R, ...]: the table; rows [C, N]: where each client's examples are in it, then rows of zeros;
    counts [C]: how many each has.
    """

    x: tf.Tensor
    y: tf.Tensor
    rows: tf.Tensor
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
        self._resident: ResidentTable | None = None
        self.features = [store.features[name] for name in ("x", "y")]
        self.sizes = np.asarray(store.sizes(split), np.int64)
        self.most = max(int(self.sizes.max()), 1)

    @property
    def num_clients(self) -> int:
        return len(self.sizes)

    @property
    def example_bytes(self) -> int:
        return sum(feature.example_bytes for feature in self.features)

    def keep_in_memory(self) -> None:
        """Reads the whole split once; whatever is read later comes from memory, of this process alone."""
        if self._resident is not None:
            return
        zeros = [np.zeros([1, *feature.shape], feature.dtype) for feature in self.features]  # what fills clients up
        every = self.stretch(0, int(self.sizes.sum()))
        self._resident = ResidentTable([np.concatenate(pair) for pair in zip(every, zeros, strict=True)])

    def stretch(self, start: int, stop: int) -> list[np.ndarray]:
        """x and y of the examples of this stretch of the split, whose clients follow one another."""
        ends = np.cumsum(self.sizes)
        begins = ends - self.sizes
        first, last = np.searchsorted(ends, [start, max(stop - 1, start)], "right")
        parts = [
            self._store.read(self._split, client, max(start - begins[client], 0), stop - begins[client])
            for client in range(first, min(last, len(ends) - 1) + 1)
        ]
        return [np.concatenate([part[feature.name] for part in parts]) for feature in self.features]

    def read(self, clients: tf.Tensor) -> Examples:
        """The examples of the clients with these numbers [C]; NO_CLIENT has none."""
        there = tf.maximum(clients, 0)
        counts = tf.where(tf.equal(clients, NO_CLIENT), 0, tf.gather(tf.constant(self.sizes, tf.int32), there))
        places = tf.range(self.most)[None]
        if self._resident is None:
            arrays, rows = self._read_files(there, counts), self.most * tf.range(tf.shape(clients)[0])[:, None] + places
        else:
            first = tf.gather(tf.constant(np.cumsum(self.sizes) - self.sizes, tf.int32), there)[:, None]
            rows = tf.where(places < counts[:, None], first + places, int(self.sizes.sum()))
            arrays = self._resident.read()
        x, y = arrays
        return Examples(x, y, tf.ensure_shape(rows, [clients.shape[0], self.most]), counts)

    def _read_files(self, clients: tf.Tensor, counts: tf.Tensor) -> list[tf.Tensor]:
        """x and y of these clients, each filled up with zeros, one after another: [C * most, ...]."""
        names = tf.strings.join([self._folder, "/", tf.strings.as_string(clients, width=6, fill="0"), ".bin"])
        contents = tf.map_fn(tf.io.read_file, names, fn_output_signature=tf.TensorSpec([], tf.string))
        arrays, start = [], tf.zeros_like(counts)
        for feature in self.features:
            length = counts * feature.example_bytes
            own = tf.strings.substr(contents, start, length)
            flat = tf.io.decode_raw(own, tf.as_dtype(feature.dtype), fixed_length=self.most * feature.example_bytes)
            rows = None if clients.shape[0] is None else clients.shape[0] * self.most
            arrays.append(tf.ensure_shape(tf.reshape(flat, [-1, *feature.shape]), [rows, *feature.shape]))
            start += length
        return arrays

    def read_pooled(self) -> Examples:
        """The examples of all clients, one after another, as those of one client: the rows [1, N] of a table of N."""
        total = int(self.sizes.sum())
        if self._resident is None:
            each = self.read(tf.range(self.num_clients))
            there = tf.reshape(tf.sequence_mask(each.counts, self.most), [-1])
            arrays = [tf.boolean_mask(array, there) for array in (each.x, each.y)]
        else:
            arrays = [array[:total] for array in self._resident.read()]  # no copy
        x, y = (tf.ensure_shape(array, [total, *array.shape[1:]]) for array in arrays)
        return Examples(x, y, tf.range(total)[None], tf.constant([total]))


class ResidentTable:
    """Arrays of this process that a graph refers to by name, so that no graph holds a copy of them.

    A name outlives its table, and is that of the next one of the same type and shape, so that runs which follow each
    other do not add up.
    """

    _numbers = itertools.count()
    _free: ClassVar[dict[tuple[np.dtype, tuple[int, ...]], list[str]]] = defaultdict(list)

    def __init__(self, arrays: list[np.ndarray]):
        self._named = [(self._name(array), array.dtype, array.shape) for array in arrays]
        for name, dtype, shape in self._named:
            weakref.finalize(self, self._free[dtype, shape].append, name)
        for handle, array in zip(self._handles(), arrays, strict=True):
            tf.raw_ops.AssignVariableOp(resource=handle, value=tf.constant(array))

    def _name(self, array: np.ndarray) -> str:
        free = self._free[array.dtype, array.shape]
        return free.pop() if free else f"fedatlas-{next(self._numbers)}"

    def read(self) -> list[tf.Tensor]:
        """The arrays, none of them copied."""
        return [
            tf.ensure_shape(tf.raw_ops.ReadVariableOp(resource=handle, dtype=dtype), shape)
            for handle, (_, dtype, shape) in zip(self._handles(), self._named, strict=True)
        ]

    def _handles(self) -> list[tf.Tensor]:
        return [
            tf.raw_ops.VarHandleOp(dtype=dtype, shape=shape, shared_name=name) for name, dtype, shape in self._named
        ]
