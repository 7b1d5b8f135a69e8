"""Local options of an experiment: what is done to the examples and to the gradient of a local step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from fedatlas.errors import AtlasError
from fedatlas.problems.base import Batch
from fedatlas.structure import absent

PADDING = 4  # pixels on every side, before a crop of the image's own size


@dataclass(frozen=True)
class LocalOptions:
    """The gradient of a step is clip(gradient + weight_decay w); the rate of round r is client_lr client_lr_decay^r.

    An algorithm's own correction, as SCAFFOLD's, is added to that. Where `clipped` is "step", as in FedExP's program,
    a step takes clip(gradient + correction) + weight_decay w.

    Attributes:
        clip_norm: the largest Euclidean norm, over all parameters of a client.
        clipped: what is clipped: the gradient alone, or all of the "step" but the decay.
        client_lr_drops: the rounds from which on the client learning rate is a tenth of what it was.
        momentum: beta; the step uses v, which is beta v plus that gradient, for algorithms with one gradient a step.
        keeps_momentum: whether a client goes on with its last v in the next round; else v is 0 when a round begins.
        augmentation: of the examples of a batch, a key of AUGMENTATIONS.
    """

    weight_decay: float = 0.0
    clip_norm: float | None = None
    clipped: str | None = None
    client_lr_decay: float = 1.0
    client_lr_drops: tuple[int, ...] = ()
    momentum: float = 0.0
    keeps_momentum: bool = False
    augmentation: str | None = None

    def changed(self, gradient: tf.Tensor, w: tf.Tensor) -> tf.Tensor:
        """The gradient that a step at w takes, both [G, C, d]."""
        if self.clipped == "step":
            return self._decayed(self._clip(gradient), w)
        return self._clip(self._decayed(gradient, w))

    def _decayed(self, gradient: tf.Tensor, w: tf.Tensor) -> tf.Tensor:
        return gradient + self.weight_decay * w if self.weight_decay else gradient

    def _clip(self, gradient: tf.Tensor) -> tf.Tensor:
        if self.clip_norm is None:
            return gradient
        norm = tf.norm(gradient, axis=-1, keepdims=True)
        return gradient * (self.clip_norm / tf.maximum(norm, self.clip_norm))

    def augmented(self, batch: Batch) -> Batch:
        """The batch with other examples, drawn by its key."""
        return AUGMENTATIONS[self.augmentation](batch) if self.augmentation else batch

    def rates(self, values: Mapping[str, tf.Tensor], round_number: tf.Tensor | int) -> Mapping[str, tf.Tensor]:
        """The hyper-parameters of a round."""
        if self.client_lr_decay == 1 and not self.client_lr_drops:
            return values
        rate = values["client_lr"]
        drops = tf.reduce_sum(tf.cast(round_number >= tf.constant(self.client_lr_drops, tf.int32), rate.dtype))
        decay = tf.constant(self.client_lr_decay, rate.dtype) ** tf.cast(round_number, rate.dtype)
        return {**values, "client_lr": rate * decay * tf.constant(0.1, rate.dtype) ** drops}


class GradientTransform:
    """What local options make of the gradient of one local step; a new one is made for every step.

    Attributes:
        velocity: v [G, C, d], before the step's gradient or after it; NONE without momentum.
    """

    def __init__(self, options: LocalOptions, velocity: Any):
        self._options, self.velocity, self._used = options, velocity, False

    def __call__(self, gradient: tf.Tensor, w: tf.Tensor, plus: tf.Tensor | None = None) -> tf.Tensor:
        """What the step uses instead of the gradient at w plus a correction of the algorithm's, all [G, C, d].

        Raises:
            AtlasError: if there is momentum and the step has asked for a gradient before.
        """
        if plus is None:
            return self._with_momentum(self._options.changed(gradient, w))
        if self._options.clipped == "step":
            return self._with_momentum(self._options.changed(gradient + plus, w))
        return self._with_momentum(self._options.changed(gradient, w)) + plus

    def _with_momentum(self, gradient: tf.Tensor) -> tf.Tensor:
        if absent(self.velocity):
            return gradient
        if self._used:
            raise AtlasError("'training.local.momentum' is for algorithms with one gradient in a step: leave it out.")
        self._used = True
        self.velocity = self._options.momentum * self.velocity + gradient
        return self.velocity


def crop_and_flip(batch: Batch) -> Batch:
    """Images x [C, B, h, w, channels] shifted by up to PADDING pixels each way, half of them mirrored; 0 outside."""
    clients, size = batch.x.shape[0], tf.shape(batch.x)[1]
    height, width = batch.x.shape[2:4]

    def draw(key: tf.Tensor) -> tf.Tensor:
        return tf.random.stateless_uniform([size, 3], key)

    chance = tf.stack([draw(batch.key[i]) for i in range(clients)])  # [C, B, 3]
    shifts = tf.cast(chance[..., :2] * (2 * PADDING + 1), tf.int32)[..., None]
    rows, columns = shifts[..., 0, :] + tf.range(height), shifts[..., 1, :] + tf.range(width)
    columns = tf.where(chance[..., 2:] < 0.5, columns[..., ::-1], columns)
    margin = [PADDING, PADDING]
    padded = tf.pad(batch.x, [[0, 0], [0, 0], margin, margin, [0, 0]])
    x = tf.gather(tf.gather(padded, rows, axis=2, batch_dims=2), columns, axis=3, batch_dims=2)
    return batch._replace(x=x)


AUGMENTATIONS: dict[str, Callable[[Any], Any]] = {"crop_and_flip": crop_and_flip}
