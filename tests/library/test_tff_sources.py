"""Clients that come from TensorFlow and TensorFlow Federated."""

from __future__ import annotations

import collections

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

import tensorflow_federated as tff
from given_clients import points

import fedatlas as fa
from fedatlas.errors import AtlasError

ARRAYS = points(0, (3, 5))
SAME = fa.clients(ARRAYS, classes=3).digest


def digest(source, **options) -> str:
    return fa.clients(source, classes=3, **options).digest


def test_a_client_data_gives_its_clients():
    tensors = {id: collections.OrderedDict(pixels=x, label=y) for id, (x, y) in ARRAYS.items()}
    data = tff.simulation.datasets.TestClientData(tensors)
    assert digest(data) == SAME


def test_a_tf_data_dataset_for_each_client():
    pairs = {id: tf.data.Dataset.from_tensor_slices((x, y)) for id, (x, y) in ARRAYS.items()}
    assert digest(pairs) == SAME
    named = {id: tf.data.Dataset.from_tensor_slices({"u": x, "y": y}) for id, (x, y) in ARRAYS.items()}
    assert digest(named) == SAME


def test_one_tf_data_dataset_with_the_clients_in_it():
    whose = np.concatenate([[id] * len(y) for id, (_, y) in ARRAYS.items()])
    x, y = (np.concatenate(parts) for parts in zip(*ARRAYS.values(), strict=True))
    rows = tf.data.Dataset.from_tensor_slices({"who": whose, "x": x, "y": y})
    assert digest(rows, client="who") == SAME
    assert {c.id for c in fa.clients(rows.take(4), client="who").splits["train"]} == {"client 0", "client 1"}


WIDE = np.ones((20, 3), np.float32)
LABELS = np.zeros(20, np.int32)
ROWS = {"who": ["ann"] * 20, "x": WIDE, "y": LABELS}


@pytest.mark.parametrize("columns", [(WIDE, LABELS), {"x": WIDE, "y": LABELS}, {"u": LABELS, "v": LABELS, "y": LABELS}])
@pytest.mark.parametrize("drop_remainder", [False, True])
def test_batches_of_one_size_are_refused(columns, drop_remainder):
    batches = tf.data.Dataset.from_tensor_slices(columns).batch(5, drop_remainder)
    with pytest.raises(AtlasError, match="client 'ann': its tf.data dataset holds batches"):
        fa.clients({"ann": batches})


@pytest.mark.parametrize("y", [LABELS, LABELS.astype(np.float32)])
@pytest.mark.parametrize("drop_remainder", [False, True])
def test_batches_with_the_clients_in_them_are_refused(y, drop_remainder):
    batches = tf.data.Dataset.from_tensor_slices({**ROWS, "y": y}).batch(5, drop_remainder)
    with pytest.raises(AtlasError, match="'train': its tf.data dataset holds batches"):
        fa.clients(batches, client="who")


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (np.ones((4, 5, 5, 1), np.uint8), [0, 1, 0, 1]),
        (np.ones((4, 7), np.int32), np.ones((4, 7), np.int32)),
        (np.ones((4, 5, 2)), np.full((4, 5), 0.5)),
        (np.ones((4, 5, 5)), np.eye(4, dtype=np.int32)),
    ],
    ids=["images", "a label at every position", "several numbers to predict", "one-hot"],
)
def test_single_examples_are_no_batches(x, y):
    for columns in ((x, y), {"x": x, "y": y}):
        found = fa.clients({"ann": tf.data.Dataset.from_tensor_slices(columns)}, classes=4)
        assert found.splits["train"][0].y.shape == np.shape(y)


def test_batches_are_refused():
    x, y = ARRAYS["client 1"]
    with pytest.raises(AtlasError, match="holds batches: give single examples, `.unbatch\\(\\)`"):
        fa.clients({"ann": tf.data.Dataset.from_tensor_slices((x, y)).batch(2)})
    with pytest.raises(AtlasError, match="client 'ann' has no examples"):
        fa.clients({"ann": tf.data.Dataset.from_tensor_slices((x[:0], y[:0]))})
