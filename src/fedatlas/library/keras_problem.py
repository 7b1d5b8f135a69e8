"""`fa.keras_problem`: a user's Keras model, checked for what cannot be federated."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fedatlas.errors import AtlasError
from fedatlas.lazy import need_tensorflow, tf
from fedatlas.library.clients import Clients
from fedatlas.library.keras_model import LOSSES
from fedatlas.library.own_code import source_of
from fedatlas.library.problems import NO_PENALTY, PenaltyChoice, ProblemChoice, Task, checked

TASKS: dict[str, Task] = dict(zip(LOSSES, ("classes", "two classes", "numbers"), strict=True))
LAST = dict(zip(LOSSES, ("softmax", "sigmoid", None), strict=True))  # what the last layer may end with, besides nothing
NAMES = {"mse": "mean_squared_error"}
POINTWISE = {  # layers of which TensorFlow computes all configurations and clients at once
    "Activation", "Add", "Average", "Concatenate", "Dense", "Dropout", "ELU", "Flatten", "InputLayer",
    "LayerNormalization", "LeakyReLU", "Maximum", "Minimum", "Multiply", "ReLU", "Rescaling", "Reshape",
    "Softmax", "Subtract",
}  # fmt: skip
INSTEAD = {
    "BatchNormalization": "tf.keras.layers.LayerNormalization or GroupNormalization",
    "Normalization": "tf.keras.layers.Rescaling, or numbers that are scaled beforehand",
    "SpectralNormalization": "the layer inside it",
}
RANDOM = ("AlphaDropout", "GaussianDropout", "GaussianNoise", "SpatialDropout", "Random")


@dataclass(frozen=True, repr=False)
class KerasChoice(ProblemChoice):
    """A Keras model and its loss.

    Attributes:
        inputs: the shape of one example, None where any length does.
        outputs: how many numbers the model gives.
    """

    inputs: tuple[int | None, ...] = ()
    outputs: int = 0

    def __repr__(self) -> str:
        return f"Keras model ({self.name}, inputs {list(self.inputs)}, {self.outputs} outputs, {self.options['loss']})"

    def learns_shape(self, clients: Clients) -> bool:
        return self.task == "numbers"

    def check(self, clients: Clients) -> None:
        """Checks that the model takes the inputs and can give every label."""
        super().check(clients)
        fits = len(self.inputs) == len(clients.shape) and all(
            own in (None, given) for own, given in zip(self.inputs, clients.shape, strict=True)
        )
        if not fits:
            raise AtlasError(
                f"the Keras model takes inputs of shape {list(self.inputs)}, but those of the clients have "
                f"{list(clients.shape)}."
            )
        if self.task == "classes" and self.outputs < (clients.num_classes or 0):
            raise AtlasError(
                f"the Keras model has {self.outputs} outputs, but there are {clients.num_classes} classes: give its "
                "last layer one unit for each."
            )
        if self.task == "two classes" and self.outputs != 1:
            raise AtlasError(
                f"the Keras model has {self.outputs} outputs, but for {self.options['loss']} it must have one: give "
                "its last layer one unit."
            )
        if self.task == "numbers" and math.prod(clients.label_shape) != self.outputs:
            shape = list(clients.label_shape)
            raise AtlasError(
                f"the Keras model has {self.outputs} outputs, but a y has the shape {shape}: give y as many columns."
            )


def keras_problem(model: Any, loss: Any, penalty: PenaltyChoice = NO_PENALTY) -> KerasChoice:
    """A functional or sequential Keras model as a federated problem.

    Its weights start as its initialisers draw them, with the seed of each run. What is called in training only, such
    as dropout, is, where `batch_size` is a number; the activation of the last layer may be the one that belongs to the
    loss, or none (logits).

    Args:
        model: the model, or a function that makes it.
        loss: `sparse_categorical_crossentropy`, `binary_crossentropy` or `mean_squared_error` (`mse`), or such a loss
            of `tf.keras.losses`.
        penalty: of `fa.prox`, on the kernels.

    Raises:
        AtlasError: if a layer keeps a state, is frozen, draws random numbers of its own or has a regulariser, in one
            sentence that names it and what to use instead; or if the model cannot be copied.

    >>> import tensorflow as tf
    >>> layers = [tf.keras.Input((5,)), tf.keras.layers.Dense(3)]
    >>> keras_problem(tf.keras.Sequential(layers), "sparse_categorical_crossentropy")
    Keras model (keras_dense, inputs [5], 3 outputs, sparse_categorical_crossentropy)
    """
    need_tensorflow()
    made = model if isinstance(model, tf.keras.Model) or not callable(model) else model()
    name = _loss(loss)
    _check_model(made)
    for layer in _layers(made):
        _check_layer(layer)
    content = json.loads(made.to_json())
    _check_end(content["config"], name)
    _mark_dropout(content["config"])
    dense = {type(layer).__name__ for layer in _layers(made)} <= POINTWISE
    text = json.dumps(content, sort_keys=True)
    _check_copy(text)
    return KerasChoice(
        name="keras_dense" if dense else "keras_network",
        options={"model": text, "loss": name} | _own(text),
        task=TASKS[name],
        penalty=checked(penalty),
        inputs=tuple(made.input_shape[1:]),
        outputs=made.output_shape[-1],
    )


def _loss(loss: Any) -> str:
    name = NAMES.get(loss, loss) if isinstance(loss, str) else getattr(loss, "name", getattr(loss, "__name__", loss))
    if name not in LOSSES:
        raise AtlasError(f"'loss' is {name!r}, but must be one of: {', '.join(LOSSES)}.")
    config: dict[str, Any] = getattr(loss, "get_config", dict)()
    if getattr(loss, "label_smoothing", 0) or config.get("label_smoothing"):
        raise AtlasError(f"'loss' is {name} with label smoothing, which is not known here: leave it out.")
    if config.get("ignore_class") is not None:
        raise AtlasError(f"'loss' is {name} with an ignored class, which is not known here: leave such examples out.")
    return name


def _check_model(model: Any) -> None:
    if not isinstance(model, tf.keras.Model):
        raise AtlasError(f"'model' is of type {type(model).__name__}, but must be a Keras model or make one.")
    sequential = isinstance(model, tf.keras.Sequential)
    if sequential and not model.built:
        raise AtlasError(f"the Keras model '{model.name}' has no input shape: let it begin with tf.keras.Input(shape).")
    if not sequential and type(model).__name__ != "Functional":
        raise AtlasError(
            f"the Keras model '{model.name}' is a subclass of Model, which cannot be copied: write it as a Sequential "
            "or functional model."
        )
    if len(model.inputs) != 1 or len(model.outputs) != 1:
        raise AtlasError(f"the Keras model '{model.name}' must have one input and one output.")
    if len(model.output_shape) != 2 or None in model.output_shape[1:]:
        shape = list(model.output_shape[1:])
        raise AtlasError(f"the Keras model '{model.name}' gives outputs of shape {shape}, but must give a vector.")


def _layers(model: Any) -> Iterator[Any]:
    """Every layer, those of models and wrappers inside too."""
    for layer in model.submodules:
        if isinstance(layer, tf.keras.layers.Layer) and not isinstance(layer, tf.keras.Model):
            yield layer


def _check_layer(layer: Any) -> None:
    kind, who = type(layer).__name__, f"the layer '{layer.name}' ({type(layer).__name__})"
    config = layer.get_config() if kind != "InputLayer" else {}
    if kind in INSTEAD or (layer.trainable and layer.non_trainable_weights):
        instead = INSTEAD.get(kind, "a layer without weights that are not trained")
        raise AtlasError(
            f"{who} keeps statistics that no gradient trains, so they would not be federated: use {instead} instead."
        )
    if not layer.trainable:
        raise AtlasError(f"{who} is frozen, but a federated model starts anew with every seed: set trainable=True.")
    if getattr(layer, "stateful", False):
        raise AtlasError(f"{who} keeps a state from batch to batch: use stateful=False instead.")
    if kind.startswith(RANDOM) or (kind != "Dropout" and (config.get("dropout") or config.get("recurrent_dropout"))):
        raise AtlasError(f"{who} draws random numbers that no seed repeats: use tf.keras.layers.Dropout instead.")
    for key, value in config.items():
        if value is not None and key.endswith("_regularizer"):
            raise AtlasError(f"{who} has a {key}, which would be ignored: use 'penalty' of fa.keras_problem instead.")
        if value is not None and key.endswith("_constraint"):
            raise AtlasError(f"{who} has a {key}, which would be ignored: use a constraint of fa.prox as 'penalty'.")


def _check_end(config: Mapping[str, Any], loss: str) -> None:
    """Checks how the last layer ends, and lets it end with nothing, as the loss is of logits."""
    last = next(one for one in config["layers"] if one["config"]["name"] == _last_name(config))
    if "layers" in last["config"]:
        _check_end(last["config"], loss)
        return
    if last["class_name"] == "Softmax" and loss == LOSSES[0]:
        last["class_name"] = "Activation"
        last["config"] = {key: last["config"][key] for key in ("name", "dtype", "trainable")} | {"activation": "linear"}
    end = last["config"].get("activation", "linear")
    if end not in ("linear", LAST[loss]) and loss != "mean_squared_error":
        raise AtlasError(
            f"the last layer '{last['config']['name']}' ends with {end}, but for {loss} it must end with {LAST[loss]} "
            "or with nothing."
        )
    if loss != "mean_squared_error" and "activation" in last["config"]:
        last["config"]["activation"] = "linear"


def _mark_dropout(config: Mapping[str, Any]) -> None:
    """Lets `KerasNetwork` put its own layer in the place of Keras's: only registered names can be."""
    for layer in config["layers"]:
        if layer["class_name"] == "Dropout":
            layer["registered_name"] = "Dropout"
        if "layers" in layer["config"]:
            _mark_dropout(layer["config"])


def _last_name(config: Mapping[str, Any]) -> str:
    """The name of the layer that gives the output."""
    return config["output_layers"][0][0] if "output_layers" in config else config["layers"][-1]["config"]["name"]


def _own(text: str) -> dict[str, str]:
    """The option that tells models apart by the code of a user's layers and functions; none where all are Keras's."""
    registered = tf.keras.utils.get_custom_objects().items()
    sources = [source_of(one) for name, one in registered if f'"{name}"' in text or f'"{name.split(">")[-1]}"' in text]
    code = "\n".join(sorted(filter(None, sources)))
    return {"own": hashlib.sha256(code.encode()).hexdigest()[:20]} if code else {}


def _check_copy(text: str) -> None:
    try:
        tf.keras.models.model_from_json(text)
    except Exception as error:  # Keras raises many kinds
        raise AtlasError(
            "the Keras model cannot be made from its description; decorate layers of your own with "
            f"@tf.keras.utils.register_keras_serializable() ({str(error).splitlines()[0]})."
        ) from error
