"""Problems with linear outputs: what the engine may rely on, for every one of them."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from fedatlas.federated.objectives import Objective
from fedatlas.problems import problems
from fedatlas.problems._linear import outputs_of
from fedatlas.problems.base import Batch, Data

SHAPES = {"quadratic": (1,), "matrix_regression": (2, 2)}
OPTIONS = {
    "linear_regression": {"nonzero_above": 0.01},
    "binary_logistic": {"nonzero_above": 0.01},
    "matrix_regression": {"rank_above": 0.01},
    "multinomial_logistic": {"mu": 0.3},
    "penalised_logistic": {"lam": 0.1, "alpha": 2.0},
    "quadratic": {"start": 1.0},
    "least_squares": {},
    "hinge": {},
}
REGULARISED = ["multinomial_logistic", "penalised_logistic"]


def problem(name):
    classes = {"multinomial_logistic": 3}.get(name, 2)
    return problems[name](data=Data(SHAPES.get(name, (4,)), classes, {}), **OPTIONS[name])


def sample(name):
    """A problem, parameters of 3 configurations and 2 clients, and a batch of which the second client has half."""
    chosen, rng = problem(name), np.random.default_rng(1)
    x, y = rng.normal(size=(2, 6, *chosen.data.shape)), rng.integers(chosen.data.num_classes, size=(2, 6))
    mask = np.array([[1] * 6, [1] * 3 + [0] * 3], bool)
    w = tf.constant(rng.normal(size=(3, 2, chosen.num_params)))
    return chosen, w, Batch(tf.constant(x), tf.constant(y), tf.constant(mask))


def test_every_linear_problem_is_tested_here():
    assert set(OPTIONS) == {name for name, cls in problems.items() if cls.linear}
    assert all(cls.linear for cls in problems.values() if cls.stationarity)


@pytest.mark.parametrize("name", OPTIONS)
def test_losses_are_those_of_the_product_and_the_regulariser(name):
    chosen, w, batch = sample(name)
    x = chosen.inputs(batch, tf.float64).numpy()
    matrix = w.numpy().reshape(3, 2, chosen.outputs, x.shape[-1])
    z = np.einsum("gcop,cbp->gcbo", matrix, x)
    expected = chosen.output_losses(tf.constant(z), batch).numpy() + chosen.regulariser(w).numpy()[..., None]
    np.testing.assert_allclose(chosen.losses(w, batch), expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(chosen.example_metrics(w, batch)["loss"], expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", OPTIONS)
def test_the_regulariser_counts_once_however_many_examples_there_are(name):
    chosen, w, batch = sample(name)
    with tf.GradientTape() as tape:
        tape.watch(w)
        alone = tf.reduce_sum(chosen.regulariser(w))
    alone = tape.gradient(alone, w, unconnected_gradients="zero").numpy()
    assert alone.any() == (name in REGULARISED)
    found = Objective(chosen, batch).gradient(w).numpy()
    for c, count in enumerate([6, 3]):
        single = [Batch(*(a[c : c + 1, b : b + 1] for a in batch[:3])) for b in range(count)]
        each = [Objective(chosen, one).gradient(w[:, c : c + 1]).numpy()[:, 0] - alone[:, c] for one in single]
        np.testing.assert_allclose(found[:, c], np.mean(each, 0) + alone[:, c], rtol=1e-10, atol=1e-12)
    empty = batch._replace(mask=tf.zeros_like(batch.mask))
    np.testing.assert_array_equal(Objective(chosen, empty).gradient(w), np.zeros(w.shape))


@pytest.mark.parametrize("name", OPTIONS)
def test_gradients_are_those_of_differences(name):
    chosen, w, batch = sample(name)
    found = Objective(chosen, batch).gradient(w).numpy()
    direction, step = np.random.default_rng(5).normal(size=w.shape), 1e-6

    def value(at):
        losses = chosen.losses(tf.constant(at), batch).numpy() * batch.mask.numpy()
        return losses.sum(-1) / batch.mask.numpy().sum(-1)

    slope = (value(w.numpy() + step * direction) - value(w.numpy() - step * direction)) / (2 * step)
    np.testing.assert_allclose((found * direction).sum(-1), slope, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("examples", [2, 40])
def test_either_order_of_a_product_gives_the_outputs(shared, examples):
    """Few examples come behind the rows of the matrices, and many before them."""
    rng = np.random.default_rng(2)
    w, x = rng.normal(size=(3, 2, 4, 5)), rng.normal(size=(3, 2, examples, 5))
    x = x[0] if shared else x
    found = outputs_of(tf.constant(w.reshape(3, 2, 20)), tf.constant(x), 4)
    np.testing.assert_allclose(found, x @ np.swapaxes(w, -1, -2), rtol=0, atol=1e-12)
