"""Softmax regression and fully connected networks: losses and gradients by hand, sizes, starting points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from fedatlas.errors import AtlasError
from fedatlas.federated.objectives import Objective
from fedatlas.problems import OnKernels, problems
from fedatlas.problems.base import Batch, Data
from fedatlas.prox import penalties

COUNTS = [5, 2]


def problem(name, shape=(2, 3), classes=4, **options):
    return problems[name](data=Data(shape, classes, {}), **options)


CHOICES = {
    "multinomial_logistic": problem("multinomial_logistic"),
    "mlp": problem("mlp", hidden=[5, 3]),
}


@pytest.fixture
def batch():
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 256, (2, 5, 2, 3), np.uint8), rng.integers(0, 4, (2, 5), np.int32)
    mask = np.arange(5) < np.array(COUNTS)[:, None]
    return Batch(*(tf.constant(a) for a in (x, y, mask)))


def layers(chosen, w):
    """The weights and biases of each layer, from one parameter vector [d]."""
    found, start = [], 0
    for block in chosen.blocks:
        matrix = w[start : start + block.size].reshape(block.shape)
        found.append((matrix[:, :-1], matrix[:, -1]))
        start += block.size
    return found


def forward(chosen, w, x):
    """The inputs of every layer and the class probabilities, of examples x [B, 6]."""
    inputs = [x]
    for weights, bias in layers(chosen, w):
        inputs.append(inputs[-1] @ weights.T + bias)
        if len(inputs) <= len(chosen.blocks):
            inputs[-1] = np.maximum(inputs[-1], 0)
    odds = np.exp(inputs.pop())
    return inputs, odds / odds.sum(-1, keepdims=True)


def gradient(chosen, w, x, y):
    """The gradient of the mean cross-entropy, by back-propagation."""
    inputs, probabilities = forward(chosen, w, x)
    delta, parts = (probabilities - np.eye(4)[y]) / len(y), []
    for (weights, _), a in zip(reversed(layers(chosen, w)), reversed(inputs), strict=True):
        parts.append(np.column_stack([delta.T @ a, delta.sum(0)]).ravel())
        delta = (delta @ weights) * (a > 0)
    return np.concatenate(parts[::-1])


def client(batch, c, count=None):
    return batch.x[c].numpy()[:count].reshape(-1, 6) / 255, batch.y[c].numpy()[:count]


@pytest.mark.parametrize("name", CHOICES)
def test_loss_and_accuracy(name, batch):
    chosen = CHOICES[name]
    w = np.random.default_rng(2).normal(size=(3, 2, chosen.num_params))
    metrics = chosen.example_metrics(tf.constant(w), batch)
    np.testing.assert_array_equal(metrics["loss"], chosen.losses(tf.constant(w), batch))
    for g in range(3):
        for c in range(2):
            x, y = client(batch, c)
            probabilities = forward(chosen, w[g, c], x)[1]
            np.testing.assert_allclose(metrics["loss"][g, c], -np.log(probabilities[np.arange(5), y]), rtol=1e-10)
            np.testing.assert_array_equal(metrics["accuracy"][g, c], probabilities.argmax(-1) == y)


@pytest.mark.parametrize("name", CHOICES)
def test_the_oracle_gives_each_client_the_gradient_of_its_own_mean(name, batch):
    chosen = CHOICES[name]
    w = np.random.default_rng(2).normal(size=(3, 2, chosen.num_params))
    found = Objective(chosen, batch).gradient(tf.constant(w)).numpy()
    for g in range(3):
        for c, count in enumerate(COUNTS):
            np.testing.assert_allclose(found[g, c], gradient(chosen, w[g, c], *client(batch, c, count)), atol=1e-12)


@pytest.mark.parametrize("name", CHOICES)
def test_a_shared_model_is_evaluated_without_copies(name, batch):
    """The examples of all clients as those of one, as the engine evaluates a model."""
    chosen = CHOICES[name]
    w = tf.constant(np.random.default_rng(2).normal(size=(3, 1, chosen.num_params)))
    pooled = Batch(*(tf.reshape(a, [1, 10, *a.shape[2:]]) for a in batch[:3]))
    apart = chosen.losses(tf.repeat(w, 2, axis=1), batch)
    np.testing.assert_allclose(tf.reshape(chosen.losses(w, pooled), [3, 2, 5]), apart, rtol=1e-12)


def test_the_ridge_is_on_weights_and_biases_alike(batch):
    plain, ridge = problem("multinomial_logistic"), problem("multinomial_logistic", mu=0.5)
    w = np.random.default_rng(2).normal(size=(3, 2, plain.num_params))
    added = ridge.losses(tf.constant(w), batch) - plain.losses(tf.constant(w), batch)
    measured = ridge.example_metrics(tf.constant(w), batch)
    np.testing.assert_allclose(measured["loss"], ridge.losses(tf.constant(w), batch), rtol=1e-12)
    np.testing.assert_allclose(measured["cross_entropy"], plain.losses(tf.constant(w), batch), rtol=1e-12)
    np.testing.assert_allclose(added, np.repeat(0.25 * (w**2).sum(-1)[..., None], 5, -1), rtol=1e-10)
    found = Objective(ridge, batch).gradient(tf.constant(w)).numpy()
    for c, count in enumerate(COUNTS):
        by_hand = gradient(plain, w[0, c], *client(batch, c, count)) + 0.5 * w[0, c]
        np.testing.assert_allclose(found[0, c], by_hand, atol=1e-12)


def test_a_squared_norm_as_penalty_on_biases_too_is_the_ridge(batch):
    """So that an algorithm with a proximal step minimises the same objective as those that have it in the loss."""
    plain, ridge = problem("multinomial_logistic", penalise_biases=True), problem("multinomial_logistic", mu=0.5)
    w = tf.constant(np.random.default_rng(2).normal(size=(3, 2, plain.num_params)))
    penalty = OnKernels(penalties["l2_squared"](strength=0.5), plain.blocks)
    np.testing.assert_allclose(plain.losses(w, batch) + penalty.value(w)[..., None], ridge.losses(w, batch), rtol=1e-12)
    np.testing.assert_allclose(penalty.prox(w, tf.constant(2.0, w.dtype)[None, None, None]), w / 2, rtol=1e-12)
    free = OnKernels(penalties["l2_squared"](strength=0.5), problem("multinomial_logistic").blocks)
    assert np.all(free.value(w).numpy() < penalty.value(w).numpy())


def test_sizes():
    """As the authors' models have them: 784 x 10 + 10, and 784-200-200-62."""
    assert problem("multinomial_logistic", (28, 28), 10).num_params == 7850
    network = problem("mlp", (28, 28), 62, hidden=[200, 200])
    assert network.num_params == 157_000 + 40_200 + 12_462
    assert [int(block.in_kernel.sum()) for block in network.blocks] == [784 * 200, 200 * 200, 200 * 62]


def test_a_network_starts_glorot_uniform_with_zero_biases():
    network = problem("mlp", (28, 28), 62, hidden=[200, 200])
    w = network.initial(3)
    for (weights, bias), (outputs, inputs) in zip(layers(network, w), [(200, 784), (200, 200), (62, 200)], strict=True):
        bound = np.sqrt(6 / (inputs + outputs))
        assert weights.shape == (outputs, inputs) and not bias.any()
        assert 0.99 * bound < np.abs(weights).max() <= bound
        np.testing.assert_allclose(weights.std(), bound / np.sqrt(3), rtol=0.02)
    np.testing.assert_array_equal(network.initial(3), w)
    assert not np.array_equal(network.initial(4), w)
    assert not problem("multinomial_logistic").initial(3).any()


@pytest.mark.parametrize("name", CHOICES)
def test_data_without_classes(name):
    chosen = replace(CHOICES[name], data=Data((2, 3), None, {}))
    with pytest.raises(AtlasError, match="the problem needs classes, but the data set has none"):
        chosen.initial(0)
