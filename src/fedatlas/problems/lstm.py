"""Recurrent networks that predict the next character."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from fedatlas.lazy import tf
from fedatlas.problems._networks import Dropout, Network, fraction, number
from fedatlas.problems.base import Array


@dataclass(frozen=True)
class LSTM(Network):
    """Stacked LSTM layers on an embedding of characters; the next character from every position, or from the last.

    Table 4 of Takakura et al. 2025 (arXiv 2505.11126): embedding 256, units 256, layers 2. Its 1 052 672 parameters are
    those of two layers in PyTorch, which adds two vectors of biases where one does: a layer here has 525 312 parameters
    and not 526 336, of the same functions.

    Attributes:
        embedding: dimension of a character's vector.
        units: of each LSTM layer.
        layers: how many of them there are.
        dropout: fraction of their last outputs that is dropped in training.
    """

    embedding: int = number()
    units: int = number()
    layers: int = number()
    dropout: float = fraction()
    compile: ClassVar[Literal["xla", "graph"]] = "xla"  # a round with 64 units takes a third of the time

    def logits(self, x: Array, dropout: Dropout) -> Array:
        layers = tf.keras.layers
        x = layers.Embedding(self.data.classes, self.embedding, name="embedding")(tf.cast(x, tf.int32))
        for i in range(1, self.layers + 1):
            x = layers.LSTM(self.units, return_sequences=True, name=f"lstm{i}")(x)
        return layers.Dense(self.data.classes, name="output")(dropout(x, self.dropout))
