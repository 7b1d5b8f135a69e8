"""What is said of the components of a mixture where the true ones are known."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from fedatlas.problems import Mixture, problems
from fedatlas.problems.base import Batch, Data

TRUTH = np.array([[1.0, 2.0], [-2.0, 1.0]])


def distance(*components, truth=TRUTH, number=2):
    """Of components (w, b), with weights that do not matter."""
    data = Data((2,), 2, {"theta": truth})
    of = problems["binary_logistic"](data=data, nonzero_above=0.01)
    w = np.concatenate([*components, np.full(number, 1 / number)])
    return Mixture(data, of, number).model_metrics(tf.constant(w[None]))


def test_the_distance_is_of_the_matched_kernels_of_any_length():
    found = distance([-6, 3, 0.7], [3, 6, -9])  # swapped, three times as long; intercepts are not true ones
    np.testing.assert_allclose(found["component_distance"], [0], atol=1e-12)


def test_the_distance_is_the_cosine_distance_of_the_two_matrices():
    found = distance([1, 2, 0], [1, 2, 0])  # the second is at a right angle to its truth
    np.testing.assert_allclose(found["component_distance"], [1 - 5 / 10])


def test_kernels_that_are_zero_have_the_distance_one():
    np.testing.assert_array_equal(distance([0, 0, 1], [0, 0, 1])["component_distance"], [1])


def test_other_numbers_of_components_and_data_without_truth_have_none():
    assert distance([1, 2, 0], number=1) == {}
    of = problems["binary_logistic"](data=Data((2,), 2, {}), nonzero_above=0.01)
    assert Mixture(Data((2,), 2, {}), of, 2).model_metrics(tf.zeros([1, 8])) == {}


def test_of_sequences_the_probabilities_of_every_position_are_mixed():
    data = Data((5,), 7, {})
    of = problems["lstm"](data=data, embedding=3, units=4, layers=1, dropout=0.0)
    mixture = Mixture(data, of, 2)
    w = mixture.initial(0)
    w[-2:] = 0.25, 0.75
    rng = np.random.default_rng(1)
    x, y = (tf.constant(rng.integers(7, size=(1, 6, 5)), tf.uint8) for _ in range(2))
    batch = Batch(x, y, tf.ones([1, 6], tf.bool))
    parts = [of.probabilities(tf.constant(part[None, None], tf.float32), batch) for part in np.split(w[:-2], 2)]
    mixed = 0.25 * parts[0] + 0.75 * parts[1]
    right = np.argmax(mixed[0, 0], -1) == y[0].numpy()
    found = mixture.example_metrics(tf.constant(w[None, None], tf.float32), batch)
    np.testing.assert_allclose(found["accuracy"][0, 0], right.mean(-1), rtol=1e-6)
    losses = [of.losses(tf.constant(part[None, None], tf.float32), batch) for part in np.split(w[:-2], 2)]
    np.testing.assert_allclose(found["loss"], -np.log(0.25 * np.exp(-losses[0]) + 0.75 * np.exp(-losses[1])), rtol=1e-5)
