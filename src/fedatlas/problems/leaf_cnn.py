"""The convolutional network of LEAF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fedatlas.lazy import tf
from fedatlas.problems._networks import Dropout, Network, images, number
from fedatlas.problems._pooling import max_pool
from fedatlas.problems.base import Array


@dataclass(frozen=True)
class LeafCNN(Network):
    """Two 5 x 5 convolutions with the largest of each 2 x 2, and a hidden layer; ReLU after each (Caldas et al. 2018).

    The network of the code of Marfoq et al. 2021 (FedEM, arXiv 2108.10252) for EMNIST and FEMNIST: filters [32, 64],
    units 2048. Their paper cites Reddi et al. 2021 instead, who have 3 x 3 convolutions, dropout and 128 units: `cnn`.

    Attributes:
        filters: of the two convolutions.
        units: of the hidden layer.
    """

    filters: Sequence[int] = number(length=2)
    units: int = number()

    def logits(self, x: Array, dropout: Dropout) -> Array:
        layers = tf.keras.layers
        x = images(x)
        for i, filters in enumerate(self.filters, 1):
            x = max_pool(layers.Conv2D(filters, 5, activation="relu", name=f"conv{i}")(x))
        x = layers.Dense(self.units, activation="relu", name="hidden")(layers.Flatten()(x))
        return layers.Dense(self.data.classes, name="output")(x)
