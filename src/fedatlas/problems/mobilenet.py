"""The network of inverted residuals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fedatlas.errors import AtlasError
from fedatlas.lazy import tf
from fedatlas.problems._networks import Dropout, Network, convolved, fraction, images, normalised, number
from fedatlas.problems.base import Array

STAGES = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))
STEM, HEAD = 32, 1280  # channels
DIVISORS = (1, 2, 4, 8)


@dataclass(frozen=True)
class MobileNet(Network):
    """MobileNet-v2 (Sandler et al. 2018): 1 x 1 convolutions to many channels, a depthwise one, and back to few.

    The network of Marfoq et al. 2021 (FedEM, arXiv 2108.10252) for CIFAR, with torchvision's strides: `divisor` 1,
    dropout 0.2. GroupNorm stands in for BatchNorm, whose running means are no parameters (see the residual network).
    Differs from their code: it starts from weights that were trained on ImageNet.

    Attributes:
        divisor: of all numbers of channels but the classes; 1, 2, 4 or 8.
        groups: of channels that are normalised together.
        dropout: fraction of the inputs of the last layer that is dropped in training.
    """

    stages: ClassVar[tuple[tuple[int, int, int, int], ...]] = STAGES  # expansion, channels, blocks, first stride

    divisor: int = number()
    groups: int = number()
    dropout: float = fraction()

    def __post_init__(self):
        if self.divisor not in DIVISORS:
            raise AtlasError(f"'problem.divisor' is {self.divisor}, but must be 1, 2, 4 or 8.")
        common = max(DIVISORS) // self.divisor  # divisor of the channels of all layers
        if common % self.groups:
            raise AtlasError(
                f"'problem.groups' is {self.groups}, but must divide {common}: with 'problem.divisor' {self.divisor} "
                "the channels of a layer are a multiple of that alone."
            )

    def logits(self, x: Array, dropout: Dropout) -> Array:
        x = self._active("stem", convolved("stem", images(x), STEM // self.divisor, 3, 2))
        for stage, (expansion, channels, blocks, stride) in enumerate(self.stages, 1):
            for block in range(1, blocks + 1):
                name = f"stage{stage}_block{block}"
                x = self._inverted(name, x, expansion, channels // self.divisor, stride if block == 1 else 1)
        x = self._active("head", convolved("head", x, HEAD // self.divisor, 1))
        x = dropout(tf.reduce_mean(x, [1, 2]), self.dropout)
        return tf.keras.layers.Dense(self.data.classes, name="output")(x)

    def _inverted(self, name: str, x: Array, expansion: int, channels: int, stride: int) -> Array:
        """Expansion, depthwise convolution and projection; beside a shortcut where the shape stays."""
        found = x
        if expansion > 1:
            found = self._active(f"{name}_expand", convolved(f"{name}_expand", x, expansion * x.shape[-1], 1))
        depthwise = tf.keras.layers.DepthwiseConv2D(3, stride, "same", use_bias=False, name=f"{name}_depthwise_conv")
        found = self._active(f"{name}_depthwise", depthwise(found))
        found = normalised(f"{name}_project", convolved(f"{name}_project", found, channels, 1), self.groups)
        return x + found if stride == 1 and x.shape[-1] == channels else found

    def _active(self, name: str, x: Array) -> Array:
        return tf.nn.relu6(normalised(name, x, self.groups))
