"""Residual networks for small images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fedatlas.lazy import tf
from fedatlas.problems._networks import Dropout, Network, check_multiple, convolved, images, normalised, number
from fedatlas.problems.base import Array


@dataclass(frozen=True)
class ResNet(Network):
    """A residual network of basic blocks with a 3 x 3 stem, for images of 32 x 32 (He et al. 2016).

    ResNet-18 of Takakura et al. 2025 (arXiv 2505.11126): filters 64, stages [2, 2, 2, 2], groups 2. As in FedExP's code
    (Jhunjhunwala et al. 2023), which they follow, GroupNorm stands in for BatchNorm, which cannot be federated here: it
    normalises an example by the others of its batch, and a new one by running means. Those are no parameters: they have
    no gradient, no algorithm says how they are averaged, and clients that differ have different ones.
    Differs from that code: the mean over all of the last 4 x 4 positions, where it takes the first 3 x 3.

    Attributes:
        filters: of the stem and the first stage; every further stage has twice as many, on half the rows and columns.
        stages: the number of blocks of each.
        groups: of channels that are normalised together.
    """

    filters: int = number()
    stages: Sequence[int] = number()
    groups: int = number()

    def __post_init__(self):
        check_multiple("'problem.filters' is", self.filters, "groups", self.groups)

    def logits(self, x: Array, dropout: Dropout) -> Array:
        x = tf.nn.relu(self._layer("stem", images(x), self.filters))
        for stage, blocks in enumerate(self.stages):
            for block in range(blocks):
                stride = 2 if stage and not block else 1
                x = self._block(f"stage{stage + 1}_block{block + 1}", x, self.filters * 2**stage, stride)
        return tf.keras.layers.Dense(self.data.classes, name="output")(tf.reduce_mean(x, [1, 2]))

    def _block(self, name: str, x: Array, filters: int, stride: int) -> Array:
        """Two convolutions beside a shortcut, which is a 1 x 1 convolution where the shape changes."""
        found = self._layer(f"{name}_2", tf.nn.relu(self._layer(f"{name}_1", x, filters, stride)), filters)
        if stride > 1 or x.shape[-1] != filters:
            x = self._layer(f"{name}_shortcut", x, filters, stride, size=1)
        return tf.nn.relu(found + x)

    def _layer(self, name: str, x: Array, filters: int, stride: int = 1, size: int = 3) -> Array:
        return normalised(name, convolved(name, x, filters, size, stride), self.groups)
