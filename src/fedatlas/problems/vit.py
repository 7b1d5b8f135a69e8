"""Vision transformers for small images."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.lazy import tf
from fedatlas.problems._networks import Dropout, Network, check_multiple, images, number
from fedatlas.problems.base import Array


@dataclass(frozen=True)
class ViT(Network):
    """A vision transformer (Dosovitskiy et al. 2021) without dropout, which reads the class off a token of its own.

    The one of ViT-CIFAR (github.com/omihub777/ViT-CIFAR), which Takakura et al. 2025 (arXiv 2505.11126) take: patch 4,
    layers 7, hidden 384, mlp 384, heads 12. As there, layers are normalised first, GELU follows both layers of a
    perceptron, and scores are divided by sqrt(hidden), not by the root of a head's width; positions start N(0, 1).

    Attributes:
        patch: rows and columns of a patch; it divides those of an image.
        layers: pairs of attention and perceptron.
        hidden: dimension of a token; a multiple of `heads`.
        mlp: units of the perceptrons.
        heads: of an attention.
    """

    patch: int = number()
    layers: int = number()
    hidden: int = number()
    mlp: int = number()
    heads: int = number()

    def __post_init__(self):
        check_multiple("'problem.hidden' is", self.hidden, "heads", self.heads)
        for side in self.data.shape[:2]:
            check_multiple("the side of an image is", side, "patch", self.patch)

    def logits(self, x: Array, dropout: Dropout) -> Array:
        x = self._tokens(images(x))
        for i in range(1, self.layers + 1):
            x = x + self._attention(f"layer{i}", _normalised(f"layer{i}_attention", x))
            found = _normalised(f"layer{i}_mlp", x)
            for j, units in enumerate((self.mlp, self.hidden), 1):
                found = tf.keras.layers.Dense(units, activation="gelu", name=f"layer{i}_mlp{j}")(found)
            x = x + found
        return tf.keras.layers.Dense(self.data.classes, name="output")(_normalised("output", x[:, 0]))

    def _tokens(self, x: Array) -> Array:
        """The patches of images behind the token of the class, and where they are; [B, tokens, hidden]."""
        from fedatlas.problems._keras_layers import Learned  # it needs TensorFlow

        x = tf.keras.layers.Conv2D(self.hidden, self.patch, self.patch, name="patches")(x)
        x = tf.reshape(x, [-1, x.shape[1] * x.shape[2], self.hidden])
        x = tf.pad(x, [[0, 0], [1, 0], [0, 0]])
        return Learned(name="positions")(x)

    def _attention(self, name: str, x: Array) -> Array:
        query, key, value = (self._heads(self._dense(f"{name}_{part}", x)) for part in ("query", "key", "value"))
        scores = tf.nn.softmax(tf.einsum("bihf,bjhf->bhij", query, key) / self.hidden**0.5)
        found = tf.einsum("bhij,bjhf->bihf", scores, value)
        return self._dense(f"{name}_attention", tf.reshape(found, [-1, x.shape[1], self.hidden]))

    def _dense(self, name: str, x: Array) -> Array:
        return tf.keras.layers.Dense(self.hidden, name=name)(x)

    def _heads(self, x: Array) -> Array:
        return tf.reshape(x, [-1, x.shape[1], self.heads, self.hidden // self.heads])


def _normalised(name: str, x: Array) -> Array:
    return tf.keras.layers.LayerNormalization(epsilon=1e-5, name=f"{name}_norm")(x)
