"""Keras models as problems: the same function as Keras computes, or a sentence that says why not."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

import fedatlas as fa
from fedatlas.errors import AtlasError
from fedatlas.problems.base import Batch

LAYERS = tf.keras.layers
CLASSES = "sparse_categorical_crossentropy"


def sequential(*layers, shape=(6, 6)):
    return tf.keras.Sequential([tf.keras.Input(shape), *layers])


def dense():
    return sequential(
        LAYERS.Flatten(), LAYERS.Dense(5, "relu"), LAYERS.LayerNormalization(), LAYERS.Dense(3, "softmax")
    )


def branched():
    """A functional model with a layer that is used twice and two branches."""
    inputs = tf.keras.Input((6, 6))
    x = LAYERS.Flatten()(inputs)
    shared = LAYERS.Dense(36, "tanh")
    x = LAYERS.Add()([shared(x), shared(shared(x))])
    return tf.keras.Model(inputs, LAYERS.Dense(3)(x))


def convolution():
    return sequential(
        LAYERS.Reshape((6, 6, 1)), LAYERS.Conv2D(2, 3, activation="relu"), LAYERS.MaxPool2D(), LAYERS.Flatten(),
        LAYERS.Dense(3, "softmax"),
    )  # fmt: skip


def recurrent():
    return sequential(LAYERS.LSTM(4), LAYERS.Dense(3))


def batch(clients: int) -> Batch:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(clients, 5, 6, 6)).astype(np.float32), rng.integers(3, size=(clients, 5)).astype(np.int32)
    return Batch(tf.constant(x), tf.constant(y), tf.ones((clients, 5)))


def keras_values(model, params, x, y, loss):
    """The loss and the accuracy of every example, by Keras itself with these weights."""
    sizes = [int(np.prod(weight.shape)) for weight in model.weights]
    parts = np.split(params, np.cumsum(sizes)[:-1])
    model.set_weights([part.reshape(weight.shape) for part, weight in zip(parts, model.weights, strict=True)])
    outputs = model(x).numpy()
    return loss(y, outputs).numpy(), (outputs.argmax(-1) == y).astype(float)


@pytest.mark.parametrize(
    ("make", "kind", "clients", "logits"),
    [(dense, "keras_dense", 2, False), (branched, "keras_dense", 2, True), (convolution, "keras_network", 1, False),
     (recurrent, "keras_network", 1, True)],
)  # fmt: skip
def test_it_is_the_function_that_keras_computes(make, kind, clients, logits):
    choice = fa.keras_problem(make, CLASSES)
    problem, given = choice.make((6, 6), 3), batch(clients)
    configurations = 2 if kind == "keras_dense" else 1
    w = np.array([[problem.initial(10 * g + c) for c in range(clients)] for g in range(configurations)], np.float32)
    w += 0.1 * np.random.default_rng(0).normal(size=w.shape).astype(np.float32)
    losses = tf.function(problem.losses, autograph=False)(tf.constant(w), given).numpy()
    metrics = tf.function(problem.example_metrics, autograph=False)(
        tf.constant(w[:, :1]), Batch(*(v[:1] for v in given[:3]))
    )
    assert choice.name == kind
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=logits, reduction="none")
    for g in range(configurations):
        for c in range(clients):
            expected, right = keras_values(make(), w[g, c], given.x[c], given.y[c].numpy(), loss)
            assert np.allclose(losses[g, c], expected, atol=1e-5)
            if c == 0:
                assert np.allclose(metrics["loss"][g, 0], expected, atol=1e-5)
                assert np.array_equal(metrics["accuracy"][g, 0], right)


def test_a_model_that_all_clients_share_is_evaluated_on_all_of_them():
    problem, given = fa.keras_problem(dense, CLASSES).make((6, 6), 3), batch(2)
    w = np.array([[problem.initial(g)] for g in range(2)], np.float32)
    shared = problem.losses(tf.constant(w), given).numpy()
    assert np.allclose(shared, problem.losses(tf.constant(np.repeat(w, 2, 1)), given).numpy(), atol=1e-6)


@pytest.mark.parametrize(
    ("loss", "last", "expected"),
    [
        ("binary_crossentropy", LAYERS.Dense(1, "sigmoid"), lambda z, y: np.log1p(np.exp(np.where(y == 1, -z, z)))),
        ("mse", LAYERS.Dense(1), lambda z, y: (z - y) ** 2),
        (tf.keras.losses.BinaryCrossentropy(), LAYERS.Dense(1), lambda z, y: np.log1p(np.exp(np.where(y == 1, -z, z)))),
    ],
)
def test_other_losses(loss, last, expected):
    model = sequential(LAYERS.Flatten(), last)
    problem, given = fa.keras_problem(model, loss).make((6, 6), 2), batch(2)
    y = np.minimum(given.y.numpy(), 1)
    w = np.array([[problem.initial(1)]], np.float32)
    z = given.x.numpy().reshape(2, 5, 36) @ w[0, 0, :36]
    losses = problem.losses(tf.constant(w), given._replace(y=tf.constant(y))).numpy()
    assert np.allclose(losses[0], expected(z, y), atol=1e-5)


def test_dropout_is_by_the_seed_of_the_step_and_only_in_training():
    model = lambda: sequential(LAYERS.Flatten(), LAYERS.Dropout(0.5), LAYERS.Dense(3))  # noqa: E731
    problem, given = fa.keras_problem(model, CLASSES).make((6, 6), 3), batch(2)
    w = tf.constant(np.repeat([[problem.initial(0)]], 2, 1), tf.float32)

    def losses(key):
        return problem.losses(w, given if key is None else given._replace(key=tf.constant(key))).numpy()

    first, again, other, never = (
        losses([[1, 2], [3, 4]]),
        losses([[1, 2], [3, 4]]),
        losses([[1, 2], [5, 6]]),
        losses(None),
    )
    assert np.array_equal(first, again)
    assert np.array_equal(first[:, 0], other[:, 0]) and not np.allclose(first[:, 1], other[:, 1])
    assert not np.allclose(first, never)


def test_weights_start_as_the_initialisers_draw_them():
    model = lambda: sequential(LAYERS.Flatten(), LAYERS.Dense(3, kernel_initializer="ones", bias_initializer="zeros"))  # noqa: E731
    assert np.array_equal(fa.keras_problem(model, CLASSES).make((6, 6), 3).initial(0), [1.0] * 108 + [0.0] * 3)
    drawn = fa.keras_problem(dense, CLASSES).make((6, 6), 3)
    assert np.array_equal(drawn.initial(1), drawn.initial(1)) and not np.allclose(drawn.initial(1), drawn.initial(2))


class Own(LAYERS.Layer):
    def call(self, x):
        return x


class Subclass(tf.keras.Model):
    def call(self, x):
        return x


def frozen():
    return LAYERS.Dense(3, trainable=False)


FLAT = LAYERS.Flatten
REFUSED = {
    "batch norm": ([FLAT(), LAYERS.BatchNormalization(), LAYERS.Dense(3)], r"BatchNormalization.* use .*LayerNormaliz"),
    "normalization": ([FLAT(), LAYERS.Normalization(), LAYERS.Dense(3)], r"\(Normalization\).* use .*Rescaling"),
    "frozen": ([FLAT(), frozen()], "is frozen"),
    "stateful": ([LAYERS.LSTM(2, stateful=True), LAYERS.Dense(3)], "keeps a state from batch to batch"),
    "noise": ([LAYERS.GaussianNoise(0.1), FLAT(), LAYERS.Dense(3)], "GaussianNoise.*use tf.keras.layers.Dropout"),
    "inner dropout": ([LAYERS.GRU(2, dropout=0.1), LAYERS.Dense(3)], "GRU.*use tf.keras.layers.Dropout"),
    "regulariser": ([FLAT(), LAYERS.Dense(3, kernel_regularizer="l2")], "has a kernel_regularizer.*use 'penalty'"),
    "constraint": ([FLAT(), LAYERS.Dense(3, bias_constraint="non_neg")], "has a bias_constraint"),
    "wrong end": ([FLAT(), LAYERS.Dense(3, "sigmoid")], "ends with sigmoid.*must end with softmax or with nothing"),
    "no vector": ([LAYERS.Dense(3)], r"gives outputs of shape \[6, 3\]"),
    "own layer": ([FLAT(), Own(), LAYERS.Dense(3)], "register_keras_serializable"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_federated_is_refused_with_a_substitute(case):
    layers, words = REFUSED[case]
    stateful = case == "stateful"
    inputs = tf.keras.Input(batch_shape=(5, 6, 6)) if stateful else tf.keras.Input((6, 6))
    with pytest.raises(AtlasError, match=words):
        fa.keras_problem(tf.keras.Sequential([inputs, *layers]), CLASSES)


def test_what_is_no_model_is_refused():
    for model, words in (
        (lambda: 3, "is of type int"),
        (tf.keras.Sequential([LAYERS.Dense(3)]), "let it begin with tf.keras.Input"),
        (Subclass(), "is a subclass of Model"),
    ):
        with pytest.raises(AtlasError, match=words):
            fa.keras_problem(model, CLASSES)
    with pytest.raises(AtlasError, match="'loss' is 'hinge', but must be one of"):
        fa.keras_problem(dense, "hinge")
    ignoring = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)
    with pytest.raises(AtlasError, match="with an ignored class, which is not known here"):
        fa.keras_problem(dense, ignoring)


def test_the_model_must_fit_the_clients():
    choice = fa.keras_problem(dense, CLASSES)
    with pytest.raises(AtlasError, match=r"takes inputs of shape \[6, 6\], but those of the clients have \[2\]"):
        choice.check(fa.clients({"ann": (np.ones((2, 2)), [0, 1])}))
    binary = fa.keras_problem(sequential(LAYERS.Flatten(), LAYERS.Dense(2)), "binary_crossentropy")
    with pytest.raises(AtlasError, match="has 2 outputs, but for binary_crossentropy it must have one: give its last"):
        binary.check(fa.clients({"ann": (np.ones((2, 6, 6)), [0, 1])}))
    with pytest.raises(AtlasError, match="has 3 outputs, but there are 5 classes"):
        choice.check(fa.clients({"ann": (np.ones((2, 6, 6)), [0, 4])}, classes=5))


def test_numbers_to_predict_may_have_the_shape_of_the_outputs():
    x, y = np.ones((4, 6, 6)), np.array([0.5, 1.0, 1.5, 2.0])
    choice = fa.keras_problem(sequential(LAYERS.Flatten(), LAYERS.Dense(1)), "mse")
    found = []
    for own in (y, y[:, None]):
        clients = fa.clients({"ann": (x, own)})
        choice.check(clients)
        (client,) = clients.splits["train"]
        problem, given = choice.make((6, 6), None), Batch(client.x[None], client.y[None], np.ones((1, 4)))
        w = tf.constant([[problem.initial(0)]], tf.float32)
        found.append(problem.losses(w, Batch(*map(tf.constant, given[:3]))).numpy())
    assert np.array_equal(*found)
    with pytest.raises(AtlasError, match="has 1 outputs, but a y has the shape"):
        choice.check(fa.clients({"ann": (x, np.ones((4, 2)))}))
    classes = fa.keras_problem(dense, CLASSES)
    with pytest.raises(AtlasError, match=r"give y.ravel\(\)"):
        classes.check(fa.clients({"ann": (x, [[0], [1], [2], [0]])}))


def compared(*layers, rounds=2, batch_size=5):
    """The losses of the global model on four clients while a model of these layers is trained."""
    x = np.random.default_rng(0).normal(size=(4, 10, 6, 6)).astype(np.float32)
    clients = fa.clients({str(i): (x[i], (x[i].sum((1, 2)) > 0).astype(int)) for i in range(4)})
    problem = fa.keras_problem(lambda: sequential(LAYERS.Flatten(), *layers), CLASSES)
    usual = {"grid": {"client_lr": [0.05, 0.1], "server_lr": [1.0]}, "progress": False, "threads": 1}
    study = fa.compare(["fedavg"], problem, clients, rounds=rounds, batch_size=batch_size, **usual)
    return study.curves("loss", "train")["value"].to_numpy()


def test_a_keras_model_is_compared():
    curve = compared(LAYERS.Dense(2), rounds=10)
    assert curve[-1] < 0.5 * curve[0]


def test_dropout_is_applied_while_a_model_is_compared():
    plain, dropped = compared(LAYERS.Dense(2)), compared(LAYERS.Dropout(0.9), LAYERS.Dense(2))
    assert plain[0] == dropped[0] and abs(plain[-1] - dropped[-1]) > 0.01
    with pytest.raises(AtlasError, match="'batch_size: full', but a model with dropout is trained on batches: give a"):
        compared(LAYERS.Dropout(0.9), LAYERS.Dense(2), batch_size="full")


SCALE = """
import tensorflow as tf

def scaled(x):
    return {factor} * x

@tf.keras.utils.register_keras_serializable("Own")
class Scale(tf.keras.layers.Layer):
    def call(self, x):
        return scaled(x)
"""


def test_what_the_code_of_an_own_layer_changes_is_run_anew():
    curves = []
    for factor in (2.0, 2.0, 3.0):
        tf.keras.backend.clear_session()  # so that layers get the same names again
        names = {"__name__": "__main__"}
        exec(compile(SCALE.format(factor=factor), "typed", "exec"), names)
        curves.append(compared(names["Scale"](), LAYERS.Dense(2)))
        tf.keras.utils.get_custom_objects().pop("Own>Scale")
    assert np.array_equal(*curves[:2]) and not np.array_equal(*curves[1:])
