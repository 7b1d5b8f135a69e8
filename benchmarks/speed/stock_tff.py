"""TFF's own federated averaging: a Keras model, and a tf.data set for each client."""

from __future__ import annotations

import os
from collections.abc import Callable

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff
from works import LINEAR, WORKS, Work, arrays, chosen, say, timed

layers = tf.keras.layers


def keras_model(work: Work) -> tf.keras.Model:
    if work.network:
        hidden = [layers.Conv2D(32, 3, activation="relu"), layers.Conv2D(64, 3, activation="relu"), layers.MaxPool2D(2)]
        dense = [layers.Flatten(), layers.Dense(128, activation="relu"), layers.Dense(work.classes)]
        return tf.keras.Sequential([layers.InputLayer(work.shape), *hidden, *dense])
    last = layers.Dense(work.classes or 1, use_bias=work.classes is not None, kernel_initializer="zeros")
    return tf.keras.Sequential([layers.InputLayer(work.shape), last])


def stepping(work: Work) -> Callable[[np.ndarray], None]:
    x, y = arrays(work)
    y = y[..., None] if work.classes is None else y
    clients = [tf.data.Dataset.from_tensor_slices((x[c], y[c])).batch(work.batch) for c in range(work.clients)]
    loss = (
        tf.keras.losses.MeanSquaredError()
        if work.classes is None
        else tf.keras.losses.SparseCategoricalCrossentropy(True)
    )

    def model() -> tff.learning.models.VariableModel:
        return tff.learning.models.from_keras_model(keras_model(work), loss, input_spec=clients[0].element_spec)

    sgd = tff.learning.optimizers.build_sgdm
    process = tff.learning.algorithms.build_weighted_fed_avg(
        model, sgd(work.client_lr[0]), sgd(work.server_lr[0]),
        loop_implementation=tff.learning.LoopImplementation.DATASET_ITERATOR,
    )  # fmt: skip
    state = process.initialize()

    def step(cohort: np.ndarray) -> None:
        nonlocal state
        state = process.next(state, [clients[c] for c in cohort]).state

    return step


if __name__ == "__main__":
    for name in chosen((*LINEAR, "cnn")):
        work = WORKS[name]._replace(client_lr=WORKS[name].client_lr[:1], server_lr=WORKS[name].server_lr[:1])
        found = timed(work, stepping(work), rounds=min(work.rounds, 10))
        say("stock TFF", name, found, tff=tff.__version__, tensorflow=tf.__version__)
