"""Pictures that are moved and mirrored before a local step sees them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from simulating import grid, params_after, simulate

from fedatlas.data.store import Feature, write_store
from fedatlas.federated.batches import LocalWork
from fedatlas.federated.local_options import LocalOptions, crop_and_flip
from fedatlas.problems.base import Batch


def images(count=40):
    """Pictures whose pixels are all different and none of which is 0."""
    x = 1 + np.arange(count * 6 * 5 * 3).reshape(1, count, 6, 5, 3)
    return tf.constant(np.repeat(x, 2, 0).astype(np.int32))


def augmented(key):
    x = images()
    return crop_and_flip(Batch(x, x[..., 0, 0, 0], tf.ones(x.shape[:2], tf.bool), tf.constant(key))).x.numpy()


def test_crop_and_flip_is_a_crop_of_the_padded_picture_or_its_mirror():
    """By up to four pixels each way, of rows and of columns."""
    originals, found, shifts = images().numpy()[0], augmented([[1, 2], [3, 4]])[0], set()
    height, width = originals.shape[1:3]
    for original, picture in zip(originals, found, strict=True):
        padded = np.pad(original, [(4, 4), (4, 4), (0, 0)])
        crops = {
            (row, column, mirrored): padded[row : row + height, column : column + width][:, :: -1 if mirrored else 1]
            for row, column, mirrored in itertools.product(range(9), range(9), (False, True))
        }
        (same,) = [place for place, crop in crops.items() if np.array_equal(crop, picture)]
        shifts.add(same)
    assert {mirrored for _, _, mirrored in shifts} == {False, True}
    assert {0, 8} <= {row for row, _, _ in shifts} and {0, 8} <= {column for _, column, _ in shifts}


def test_local_steps_see_augmented_pictures(tmp_path):
    """The same in a round of the same seed, and others than without."""
    rng = np.random.default_rng(0)
    clients = [(str(n), {"x": rng.random((4, 6, 5, 3)), "y": rng.integers(2, size=4).astype(np.int32)}) for n in "01"]
    features = [Feature("x", "float64", (6, 5, 3)), Feature("y", "int32", ())]
    facts = {"name": "made", "options": {}, "seed": 0, "kind": "stand-in", "num_classes": 2}
    store = write_store(tmp_path / "store", features=features, splits={"train": clients}, **facts)

    def after(options):
        problem = {"name": "multinomial_logistic"}
        work = LocalWork(batch_size=2, steps=2)
        rates = grid("fedavg", [0.5])
        return params_after(simulate(store, "fedavg", rates, problem=problem, work=work, local=options), 1)

    moved = after(LocalOptions(augmentation="crop_and_flip"))
    np.testing.assert_array_equal(moved, after(LocalOptions(augmentation="crop_and_flip")))
    assert np.abs(moved - after(LocalOptions())).max() > 1e-3


def test_crop_and_flip_follows_the_clients_keys():
    first, again, other = augmented([[1, 2], [3, 4]]), augmented([[1, 2], [3, 4]]), augmented([[1, 2], [3, 5]])
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(first[0], other[0])
    assert np.any(first[0] != first[1])
    assert np.any(first[1] != other[1])
