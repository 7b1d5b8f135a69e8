"""A Keras model as a problem: a function of one flat vector, made anew from its description wherever it is computed.

The description is the JSON of a functional or sequential model, so that a run's manifest holds the whole model. Where
a layer asks for a variable it gets a stretch of the vector (see `problems._networks`). Models of layers that TensorFlow
vectorises well (dense ones and what is pointwise) are computed for all configurations and clients at once, others one
by one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from fedatlas.lazy import tf
from fedatlas.problems import problems
from fedatlas.problems._layers import classification_metrics, cross_entropy
from fedatlas.problems._linear import binary_accuracy, binary_cross_entropy
from fedatlas.problems._networks import Dropout, Network
from fedatlas.problems.base import Array, Batch

LOSSES = ("sparse_categorical_crossentropy", "binary_crossentropy", "mean_squared_error")


@dataclass(frozen=True)
class KerasNetwork(Network):
    """A Keras model, trained one configuration and one client at a time.

    Attributes:
        model: its JSON; the last layer gives logits, or numbers for the squared error.
        loss: one of LOSSES.
        own: a digest of the user's own layers and functions in it, whose code its JSON does not hold.
    """

    model: str
    loss: str = field(metadata={"among": LOSSES})
    own: str = ""

    @property
    def random(self) -> bool:  # type: ignore[override]
        return '"class_name": "Dropout"' in self.model

    def logits(self, x: Array, dropout: Dropout) -> Array:
        model = tf.keras.models.model_from_json(self.model, {"Dropout": _dropout_layer(dropout)})
        return model(tf.cast(x, model.inputs[0].dtype), training=False)

    def losses(self, w: Array, batch: Batch) -> Array:
        return self._losses(self._logits_of(w, batch), batch)

    def example_metrics(self, w: Array, batch: Batch) -> dict[str, Array]:
        names = ["loss"] if self.loss == "mean_squared_error" else ["loss", "accuracy"]

        def of_one(params: Array) -> dict[str, Array]:
            metrics = self._metrics(self._logits_of(params[None], batch), batch)
            return {name: values[0] for name, values in metrics.items()}

        return tf.map_fn(of_one, w, fn_output_signature=dict.fromkeys(names, w.dtype))

    def probabilities(self, w: Array, batch: Batch) -> Array:
        z = self._logits_of(w, batch)
        if self.loss == "binary_crossentropy":
            p = tf.sigmoid(z)
            return tf.concat([1 - p, p], -1)
        return tf.nn.softmax(z)

    def _losses(self, z: Array, batch: Batch) -> Array:
        """The loss of every example, [G, C, B], of the outputs z [G, C, B, outputs]."""
        if self.loss == "sparse_categorical_crossentropy":
            return cross_entropy(z, batch)
        if self.loss == "binary_crossentropy":
            return binary_cross_entropy(z, batch)
        shape = tf.concat([tf.shape(batch.y)[:2], tf.shape(z)[3:]], 0)
        return tf.reduce_mean(tf.square(z - tf.reshape(tf.cast(batch.y, z.dtype), shape)), -1)

    def _metrics(self, z: Array, batch: Batch) -> dict[str, Array]:
        if self.loss == "sparse_categorical_crossentropy":
            return classification_metrics(z, batch)
        accuracy = {"accuracy": binary_accuracy(z, batch)} if self.loss == "binary_crossentropy" else {}
        return {"loss": self._losses(z, batch)} | accuracy


@dataclass(frozen=True)
class KerasDense(KerasNetwork):
    """A Keras model that is computed for all configurations and clients at once.

    Attributes: as of KerasNetwork.
    """

    compile: ClassVar[Literal["xla", "graph"]] = "xla"
    one_by_one: ClassVar[bool] = False

    def example_metrics(self, w: Array, batch: Batch) -> dict[str, Array]:
        return self._metrics(self._logits_of(w, batch), batch)

    def _logits_of(self, w: Array, batch: Batch) -> Array:
        """The outputs [G, C, B, outputs] of the parameters w [G, C, d], or [G, 1, d] that all clients share."""
        if w.shape[1] == 1:
            clients, size = tf.unstack(tf.shape(batch.x)[:2])
            x = tf.reshape(batch.x, tf.concat([[clients * size], tf.shape(batch.x)[2:]], 0))
            x = tf.ensure_shape(x, [None, *batch.x.shape[2:]])
            found = self._of_client(w[:, 0], x, Dropout(self._key(batch)))
            return tf.reshape(found, [w.shape[0], clients, size, found.shape[-1]])
        by_client = tf.transpose(w, [1, 0, 2])
        if isinstance(batch.key, tuple):
            found = tf.vectorized_map(lambda own: self._of_client(own[0], own[1], Dropout()), (by_client, batch.x))
        else:
            found = tf.vectorized_map(
                lambda own: self._of_client(own[0], own[1], Dropout(own[2])), (by_client, batch.x, batch.key)
            )
        return tf.transpose(found, [1, 0, 2, 3])

    def _key(self, batch: Batch) -> Any:
        return batch.key if isinstance(batch.key, tuple) else batch.key[0]

    def _of_client(self, w: Array, x: Array, dropout: Dropout) -> Array:
        """The outputs [G, B, outputs] of the parameters w [G, d] on examples x [B, ...]."""
        return tf.vectorized_map(lambda params: self._of_one(params, x, dropout), w)

    def _of_one(self, params: Array, x: Array, dropout: Dropout) -> Array:
        with self.given(params):
            return tf.cast(self.logits(x, dropout), params.dtype)


def _dropout_layer(dropout: Dropout) -> type:
    """Keras's dropout layer, with the seeds of the engine in the place of a generator with a state."""

    class Keyed(tf.keras.layers.Layer):
        def __init__(self, rate: float, noise_shape: Any = None, seed: Any = None, **options: Any):
            super().__init__(**options)
            self.rate = rate

        def call(self, x: Array) -> Array:
            return dropout(x, self.rate)

    return Keyed


problems.register("keras_network", KerasNetwork)
problems.register("keras_dense", KerasDense)
