"""The convolutional network of FEMNIST."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fedatlas.lazy import tf
from fedatlas.problems._networks import Dropout, Network, fraction, images, number
from fedatlas.problems._pooling import max_pool
from fedatlas.problems.base import Array


@dataclass(frozen=True)
class CNN(Network):
    """Two 3 x 3 convolutions, the largest of each 2 x 2, a hidden layer; ReLU after each, dropout before dense layers.

    Table 5 of Takakura et al. 2025 (arXiv 2505.11126): filters [32, 64], units 128, dropout [0.25, 0.5]. The table
    leaves out the pooling, without which its dense layer had 4.7 million parameters, and the rates: both are those of
    FedExP's code (Jhunjhunwala et al. 2023).

    Attributes:
        filters: of the two convolutions.
        units: of the hidden layer.
        dropout: fractions of the inputs of the hidden layer, and of the last one, that are dropped in training.
    """

    filters: Sequence[int] = number(length=2)
    units: int = number()
    dropout: Sequence[float] = fraction(length=2)

    def logits(self, x: Array, dropout: Dropout) -> Array:
        layers = tf.keras.layers
        x = images(x)
        for i, filters in enumerate(self.filters, 1):
            x = layers.Conv2D(filters, 3, activation="relu", name=f"conv{i}")(x)
        x = dropout(max_pool(x), self.dropout[0])
        x = layers.Dense(self.units, activation="relu", name="hidden")(layers.Flatten()(x))
        return layers.Dense(self.data.classes, name="output")(dropout(x, self.dropout[1]))
