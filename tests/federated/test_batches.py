"""Which examples a client sees in a round."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from simulating import write_regression

from fedatlas.federated.batches import LocalWork, Sizes, Streams, narrowed, select_batches, whole
from fedatlas.federated.client_reader import NO_CLIENT, ClientReader, Examples
from fedatlas.seeds import seed_for

COUNTS = [5, 2, 4]


def examples(counts=COUNTS):
    """Clients whose examples are their numbers: 100 * client + position."""
    most = max(counts)
    x = np.array([[100 * c + i if i < n else -1 for i in range(most)] for c, n in enumerate(counts)], float)
    rows = tf.reshape(tf.range(x.size), x.shape)
    return Examples(tf.constant(x.reshape(-1, 1)), tf.constant(x.ravel()), rows, tf.constant(counts, tf.int32))


def batches(work, counts=COUNTS, clients=(0, 1, 2), seed=1, round_number=0):
    streams = Streams(tf.constant(clients), seed, tf.constant(round_number))
    found = select_batches(work, examples(counts), streams, Sizes(min(counts), max(counts)))
    return found.y.numpy(), found.mask.numpy()


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_an_epoch_visits_every_example_once(size):
    y, mask = batches(LocalWork(batch_size=size, epochs=1))
    for client, count in enumerate(COUNTS):
        visited = np.sort(y[:, client][mask[:, client]])
        np.testing.assert_array_equal(visited, 100 * client + np.arange(count))


@pytest.mark.parametrize("work", [LocalWork(2, epochs=2), LocalWork(2, epochs=2, across=True), LocalWork(9, epochs=1)])
def test_a_client_takes_the_same_batches_in_whatever_company(work):
    alone = narrowed(examples()._replace(rows=examples().rows[1:2], counts=tf.constant([2])))
    found = select_batches(work, alone, Streams(tf.constant([1]), 1, tf.constant(0)), Sizes(2, 5))
    assert found.y.shape[2] == 2  # and none is larger than the client
    y, mask = batches(work)
    np.testing.assert_array_equal(found.y[found.mask], y[:, 1][mask[:, 1]])


def test_epochs_shuffle_anew():
    y, mask = batches(LocalWork(batch_size=1, epochs=2), counts=[30], clients=(0,))
    first, second = np.split(y[:, 0, 0], 2)
    assert set(first) == set(second)
    assert not np.array_equal(first, second)


def test_the_last_batch_of_an_epoch_is_smaller():
    _, mask = batches(LocalWork(batch_size=2, epochs=1))
    np.testing.assert_array_equal(mask.sum(-1)[:, 0], [2, 2, 1])
    np.testing.assert_array_equal(mask.sum(-1)[:, 1], [2, 0, 0])


def test_a_clients_steps_come_before_its_empty_ones():
    """So that a chunk stops at the last step of its largest client."""
    _, mask = batches(LocalWork(batch_size=2, epochs=2))
    np.testing.assert_array_equal(mask.any(-1).T, np.arange(6) < np.array([[6], [2], [4]]))


ACROSS = LocalWork.of(2, local_epochs=3, batches="across_epochs")


def test_across_epochs_only_the_last_batch_is_smaller():
    """As tf.data's repeat(3).batch(2): 15, 6 and 12 examples make 8, 3 and 6 batches."""
    _, mask = batches(ACROSS)
    np.testing.assert_array_equal(mask.sum(-1)[:, 0], [2] * 7 + [1])
    np.testing.assert_array_equal(mask.sum(-1)[:, 1], [2] * 3 + [0] * 5)
    np.testing.assert_array_equal(mask.sum(-1)[:, 2], [2] * 6 + [0] * 2)


def test_across_epochs_every_epoch_visits_every_example_once():
    y, mask = batches(ACROSS)
    for client, count in enumerate(COUNTS):
        epochs = y[:, client][mask[:, client]].reshape(3, count)
        np.testing.assert_array_equal(np.sort(epochs, 1), [100 * client + np.arange(count)] * 3)


def test_one_epoch_has_the_same_batches_across_epochs():
    alone, across = (batches(LocalWork.of(2, local_epochs=1, batches=b)) for b in (None, "across_epochs"))
    np.testing.assert_array_equal(alone[1], across[1])
    np.testing.assert_array_equal(alone[0][alone[1]], across[0][across[1]])


def test_steps_cycle_through_full_batches():
    y, mask = batches(LocalWork(batch_size=2, steps=5), counts=[4, 4], clients=(0, 1))
    assert mask.all() and y.shape[:3] == (5, 2, 2)
    first_epoch = np.sort(y[:2, 0].ravel())
    np.testing.assert_array_equal(first_epoch, np.arange(4))


def test_all_examples_are_one_unshuffled_batch():
    found = whole(examples())
    np.testing.assert_array_equal(found.mask, [[True] * 5, [True] * 2 + [False] * 3, [True] * 4 + [False]])
    np.testing.assert_array_equal(found.y, tf.reshape(examples().y, [3, 5]))
    np.testing.assert_array_equal(found.x[..., 0], found.y)


def test_the_order_depends_on_seed_round_and_client_alone():
    work = LocalWork(batch_size=1, epochs=1)

    def order(**options):
        return batches(work, counts=[20, 20, 20], **options)[0][:, :, 0] % 100

    usual = order()
    np.testing.assert_array_equal(order(), usual)
    np.testing.assert_array_equal(order(clients=(2, 1, 0)), usual[:, ::-1])
    assert not np.array_equal(order(round_number=1), usual)
    assert not np.array_equal(order(seed=2), usual)
    assert not np.array_equal(usual[:, 0], usual[:, 1])


# Two clients of 10 and 7 examples, two epochs in batches of 4, as TensorFlow 2.14 draws them: each shuffle sorts
# uniform numbers of Philox, seeded by the run's stream of batches, the round and the client (`Streams.of`).
# They may never change: every published curve is of the batches that were drawn like this.
GOLDEN = [
    [[0, 2, 6, 9], [3, 8, 5, 1], [4, 7, -1, -1], [5, 3, 6, 4], [1, 7, 9, 8], [2, 0, -1, -1]],
    [[0, 4, 2, 5], [6, 1, 3, -1], [4, 1, 0, 5], [2, 6, 3, -1], [-1, -1, -1, -1], [-1, -1, -1, -1]],
]


def test_the_batches_of_a_client_never_change():
    work = LocalWork(batch_size=4, epochs=2)
    y, mask = batches(work, counts=[10, 7], clients=(0, 1), seed=seed_for(0, "batches"), round_number=3)
    numbers = np.where(mask, y % 100, -1)
    np.testing.assert_array_equal(np.moveaxis(numbers, 1, 0), GOLDEN)


@pytest.mark.parametrize("resident", [False, True], ids=["files", "memory"])
def test_reading_gives_what_the_store_holds(tmp_path, resident):
    store = write_regression(tmp_path / "store", [3, 5, 2])
    reader = ClientReader(store, "train")
    if resident:
        reader.keep_in_memory()
    examples = reader.read(tf.constant([2, 1, NO_CLIENT]))
    found = whole(examples)
    np.testing.assert_array_equal(examples.counts, [2, 5, 0])
    np.testing.assert_array_equal(found.mask.numpy().sum(1), [2, 5, 0])
    for row, client in enumerate([2, 1]):
        arrays = store.read("train", client)
        count = len(arrays["y"])
        np.testing.assert_array_equal(found.x[row, :count], arrays["x"])
        np.testing.assert_array_equal(found.y[row, :count], arrays["y"])
        assert not found.x[row, count:].numpy().any()
    assert not found.x[2].numpy().any()
    pooled = whole(reader.read_pooled())
    assert pooled.mask.numpy().all() and pooled.x.shape[:2] == (1, 10)
    for name, found in (("x", pooled.x), ("y", pooled.y)):
        np.testing.assert_array_equal(found[0], np.concatenate([store.read("train", c)[name] for c in range(3)]))


def test_what_stays_in_memory_is_read_once(tmp_path):
    store = write_regression(tmp_path / "store", [3, 5, 2])
    reader, first = ClientReader(store, "train"), store.read("train", 1)["y"]
    reader.keep_in_memory()
    shutil.rmtree(store.path / "train")
    np.testing.assert_array_equal(whole(reader.read(tf.constant([1]))).y[0], first)
