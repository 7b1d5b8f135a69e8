"""Networks: the function of one vector against Keras's own model, one by one in a federated computation, dropout."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
import tensorflow_federated as tff
from made_networks import CLASSES, EXAMPLES, SMALL, as_batch, drawn, parts_of, random_examples, rounding, small
from simulating import params_after, simulate

from fedatlas.data.store import Feature, write_store
from fedatlas.federated.batches import LocalWork
from fedatlas.federated.objectives import Objective
from fedatlas.problems import _pooling
from fedatlas.problems._networks import Dropout

DROPPING = ("cnn", "lstm")
SHALLOW = [name for name in SMALL if name != "mobilenet"]  # which takes longest to trace


def keras_model(chosen, w):
    """Keras's own model with variables that have these values, and those variables in the order of the blocks.

    It pools as Keras does: ours has a gradient of its own, which Keras's symbols do not pass through.
    """
    inputs = tf.keras.Input(chosen.data.shape, dtype=tf.uint8)
    with mock.patch.object(_pooling, "_pooled", lambda x: tf.keras.layers.MaxPool2D(2)(x)):
        model = tf.keras.Model(inputs, chosen.logits(inputs, Dropout()))
    named = {variable.name: variable for variable in model.trainable_weights}
    variables = [named.pop(f"{block.name}:0") for block in chosen.blocks]
    assert not named
    for variable, part in zip(variables, parts_of(chosen, w), strict=True):
        variable.assign(part)
    return model, variables


def last(logits):
    return logits[:, -1] if logits.shape.rank == 3 else logits


def off(name, expected):
    """What float32 may be off by where the largest is at least of size 1."""
    return rounding(name) * max(1, np.abs(expected).max())


def loss_of(chosen, w, batch):
    return tf.reduce_mean(chosen.losses(w, batch))


@pytest.mark.parametrize("name", SMALL)
def test_loss_accuracy_and_gradient_are_those_of_the_keras_model(name):
    chosen, (x, y) = small(name), random_examples(name)
    w, batch = drawn(chosen), as_batch(x, y)
    model, variables = keras_model(chosen, w)
    with tf.GradientTape() as tape:
        logits = last(model(x))
        expected = tf.keras.losses.sparse_categorical_crossentropy(y, logits, from_logits=True)
        mean = tf.reduce_mean(expected)
    gradients = tape.gradient(mean, variables)
    gradients = [tf.convert_to_tensor(gradient).numpy().ravel() for gradient in gradients]
    measured = chosen.example_metrics(w, batch)
    np.testing.assert_allclose(chosen.losses(w, batch)[0, 0], expected, atol=off(name, expected))
    np.testing.assert_allclose(measured["loss"][0, 0], expected, atol=off(name, expected))
    np.testing.assert_array_equal(measured["accuracy"][0, 0], tf.argmax(logits, -1) == y)
    gradient = Objective(chosen, batch).gradient
    compiled = {"autograph": False, "jit_compile": chosen.compile == "xla"}
    found = tf.function(gradient, **compiled)(w) if name in SHALLOW else gradient(w)
    expected = np.concatenate(gradients)
    np.testing.assert_allclose(found[0, 0], expected, atol=off(name, expected))


@pytest.mark.parametrize("name", SHALLOW)
def test_several_models_are_evaluated_on_the_same_examples(name):
    chosen, batch = small(name), as_batch(*random_examples(name))
    models = [drawn(chosen, seed) for seed in range(2)]
    together = chosen.example_metrics(tf.concat(models, 0), batch)
    apart = [chosen.example_metrics(w, batch) for w in models]
    for metric in ("loss", "accuracy"):
        expected = np.concatenate([each[metric] for each in apart])
        np.testing.assert_allclose(together[metric], expected, atol=off(name, expected))
    assert np.abs(together["loss"][0] - together["loss"][1]).max() > 1e-3


@pytest.mark.parametrize("name", SHALLOW)
def test_a_short_step_lowers_the_loss_by_the_square_of_the_gradient(name):
    chosen, batch = small(name), as_batch(*random_examples(name))
    w = drawn(chosen)
    gradient = Objective(chosen, batch).gradient(w)
    square, before = float(tf.reduce_sum(gradient**2)), loss_of(chosen, w, batch)
    step = 3e-3 / square
    np.testing.assert_allclose(before - loss_of(chosen, w - step * gradient, batch), step * square, rtol=0.1)


@pytest.mark.parametrize("name", SHALLOW)
def test_a_round_in_a_federated_computation_is_the_mean_of_steps_by_hand(name, tmp_path):
    x, y = random_examples(name, 6)
    clients = [("0", {"x": x[:4], "y": y[:4]}), ("1", {"x": x[4:], "y": y[4:]})]
    features = [Feature("x", "uint8", x.shape[1:]), Feature("y", "int32", ())]
    options = {"name": "random", "options": {}, "seed": 0, "kind": "stand-in", "num_classes": CLASSES}
    store = write_store(tmp_path / "store", features=features, splits={"train": clients}, **options)
    chosen, rates = small(name), {"client_lr": [0.1, 0.2], "server_lr": [1.0, 1.0]}
    w = drawn(chosen)
    simulation = simulate(
        store,
        "fedavg",
        rates,
        problem={"name": name, **SMALL[name][1]},
        start=np.ravel(w),
        dtype="float32",
        work=LocalWork(batch_size=None, steps=1),
        chunk=1,
    )
    gradients = [Objective(chosen, as_batch(arrays["x"], arrays["y"])).gradient(w) for _, arrays in clients]
    found = params_after(simulation, 1)
    for g, rate in enumerate(rates["client_lr"]):
        expected = np.ravel(w - rate * (gradients[0] + gradients[1]) / 2)
        np.testing.assert_allclose(found[g], expected, atol=off(name, expected))
    losses = [np.mean([loss_of(chosen, v[None, None], as_batch(*a.values())) for _, a in clients]) for v in found]
    np.testing.assert_allclose(simulation.evaluate("train")["loss"], losses, atol=off(name, losses))


@pytest.mark.parametrize("name", DROPPING)
def test_dropout_is_drawn_by_the_key_and_off_in_an_evaluation(name):
    chosen, examples = small(name), random_examples(name, 50)
    w = drawn(chosen)
    off = chosen.losses(w, as_batch(*examples))
    keyed = [chosen.losses(w, as_batch(*examples, tf.constant([[3, k]]))) for k in (0, 0, 1)]
    np.testing.assert_array_equal(keyed[0], keyed[1])
    assert np.abs(keyed[0] - off).max() > 1e-3 and np.abs(keyed[0] - keyed[2]).max() > 1e-3
    np.testing.assert_array_equal(chosen.example_metrics(w, as_batch(*examples))["loss"], off)
    undone = small(name, dropout=[0.0, 0.0] if name == "cnn" else 0.0)
    np.testing.assert_array_equal(undone.losses(w, as_batch(*examples, tf.constant([[3, 0]]))), off)


def test_dropout_keeps_the_mean_and_has_a_stream_for_each_layer():
    dropout, ones = Dropout(tf.constant([1, 2])), tf.ones([10_000])
    first, second = dropout(ones, 0.25).numpy(), dropout(ones, 0.25).numpy()
    kept = first > 0
    np.testing.assert_allclose(first[kept], 1 / 0.75, rtol=1e-6)
    deviation = np.sqrt(0.25 * 0.75 / 10_000)
    assert abs(kept.mean() - 0.75) < 5 * deviation
    assert abs(np.mean(kept & (second > 0)) - 0.75**2) < 5 * deviation  # independent


@pytest.mark.parametrize("name", SHALLOW)
def test_it_works_in_a_computation_of_tff(name):
    """Without variables, which such a computation would have to initialise."""
    chosen, examples = small(name), random_examples(name)
    w = drawn(chosen)

    @tff.tensorflow.computation(tff.TensorType(np.float32, w.shape))
    def gradient(w):
        return Objective(chosen, as_batch(*examples)).gradient(w)

    graph = gradient.to_building_block().proto.tensorflow
    assert not graph.initialize_op
    assert b"VarHandleOp" not in graph.SerializeToString()


def test_the_lstm_reads_every_character_and_none_that_follows():
    """With labels at every position the loss of an example is the mean over them."""
    chosen, (x, y) = small("lstm"), random_examples("lstm", labels=(6,))
    w = drawn(chosen)
    whole = chosen.losses(w, as_batch(x, y))
    at = [chosen.losses(w, as_batch(x[:, :stop], y[:, stop - 1])) for stop in range(1, 7)]
    np.testing.assert_allclose(whole, np.mean(at, axis=0), atol=off("lstm", at))
    assert chosen.example_metrics(w, as_batch(x, y))["accuracy"].shape == (1, 1, EXAMPLES)
    first = x.copy()
    first[:, 0] = (first[:, 0] + 1) % CLASSES
    assert np.abs(chosen.losses(w, as_batch(first, y[:, -1])) - at[-1]).min() > 0
