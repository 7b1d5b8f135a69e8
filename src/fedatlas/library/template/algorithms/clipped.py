"""An algorithm of your own: its name in study.yaml is the name of this file."""

from dataclasses import dataclass

import tensorflow as tf

from fedatlas.algorithms.base import Array, positive
from fedatlas.algorithms.fedavg import FedAvg


@dataclass(frozen=True)
class Clipped(FedAvg):
    """FedAvg whose clients shorten every gradient that is longer than `longest`.

    Every array has the axes [configuration, client, ...]: a gradient is [G, C, d], a hyper-parameter [G, 1, 1].
    """

    name = "FedAvg, clipped"
    citation = "ours"
    colour = "#be185d"

    longest: Array = positive()

    def step(self, w, k, message, client, f):
        gradient = f.gradient(w)
        length = tf.norm(gradient, axis=-1, keepdims=True)
        return w - self.client_lr * gradient * tf.minimum(tf.ones_like(length), self.longest / length)
