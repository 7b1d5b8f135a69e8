"""Layers that Keras does not have, or not in a form that suits. It needs TensorFlow: imported where it is used."""

from __future__ import annotations

import tensorflow as tf


class GroupNorm(tf.keras.layers.Layer):
    """Normalises each group of channels of each image [B, rows, columns, channels] (Wu and He 2018).

    The function of Keras's GroupNormalization, which multiplies with a mask of ones as large as its inputs.
    """

    def __init__(self, groups: int, epsilon: float = 1e-5, **options):
        super().__init__(**options)
        self.groups, self.epsilon = groups, epsilon

    def build(self, shape):
        self.gamma = self.add_weight("gamma", shape[-1:], initializer="ones")
        self.beta = self.add_weight("beta", shape[-1:], initializer="zeros")
        super().build(shape)

    def call(self, x):
        mean = self._over_groups(tf.reduce_mean(x, [1, 2]))
        centred = x - mean
        scale = tf.math.rsqrt(self._over_groups(tf.reduce_mean(tf.square(centred), [1, 2])) + self.epsilon)
        return centred * (scale * self.gamma) + self.beta

    def _over_groups(self, by_channel):
        """The mean of each channel's group, [B, 1, 1, channels], from means by channel [B, channels]."""
        channels = by_channel.shape[-1]
        grouped = tf.reshape(by_channel, [-1, self.groups, channels // self.groups])
        means = tf.tile(tf.reduce_mean(grouped, -1, keepdims=True), [1, 1, channels // self.groups])
        return tf.reshape(means, [-1, 1, 1, channels])  # tf.repeat makes twenty operations of these two


class Learned(tf.keras.layers.Layer):
    """Adds a learned array to every example [B, ...]; it starts as independent normal numbers of variance 1."""

    def build(self, shape):
        self.added = self.add_weight("added", shape[1:], initializer=tf.keras.initializers.RandomNormal(stddev=1.0))
        super().build(shape)

    def call(self, x):
        return x + self.added
