"""Networks of Keras layers as pure functions of one flat parameter vector.

A network is a function that makes its layers and applies them at once. Where a layer asks TensorFlow for a variable, it
gets the next stretch of the parameter vector, through `tf.variable_creator_scope`, as in TFF's own
`functional_model_from_keras`. So there are no variables: it works in any graph, and a gradient is that of the vector.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from fedatlas.errors import AtlasError
from fedatlas.lazy import tf
from fedatlas.problems._blocks import Block
from fedatlas.problems._layers import classification_metrics, cross_entropy
from fedatlas.problems.base import CLASSIFIED, Array, Batch, Measured, Problem
from fedatlas.structure import NONE, absent

KERNELS = (
    "kernel",
    "depthwise_kernel",
    "recurrent_kernel",
    "embeddings",
)  # Keras's names of what is multiplied with the inputs
CHANNEL_MEANS = (0.491, 0.482, 0.447)  # of CIFAR-10; in FedExP's code those of CIFAR-100 too
CHANNEL_DEVIATIONS = (0.247, 0.243, 0.262)


def number(**limits: float) -> Any:
    """Declares an option, a number of something: 1 or more; a list of them may have limits on its `length`."""
    return field(metadata={"at_least": 1, **limits})


def fraction(**limits: float) -> Any:
    """Declares an option in [0, 1), or a list of such."""
    return field(metadata={"at_least": 0, "below": 1, **limits})


class Weight(NamedTuple):
    """A trainable weight of a layer, and the function that draws it."""

    block: Block
    initial_value: partial[Array]


class Dropout:
    """Sets inputs to zero at random; each layer of a network with a stream of its own.

    Args:
        key: [2], the seed of a step; NONE leaves inputs as they are.
    """

    def __init__(self, key: Any = NONE):
        self._key, self._layers = key, 0

    def __call__(self, x: Array, rate: float) -> Array:
        if absent(self._key) or not rate:
            return x
        self._layers += 1
        seed = tf.random.fold_in(self._key, self._layers)
        return tf.nn.experimental.stateless_dropout(x, rate, seed)


@dataclass(frozen=True)
class Network(Problem):
    """Cross-entropy of a network, in single precision; a subclass says what the network is.

    The layers draw the first parameters as Keras does: kernels Glorot-uniform, recurrent ones orthogonal, biases 0 but
    for those of forget gates, which are 1.
    Where an example has a label at each of its positions, its loss and its accuracy are the means over them.
    """

    compile: ClassVar[Literal["xla", "graph"]] = "graph"
    one_by_one: ClassVar[bool] = True
    random: ClassVar[bool] = True

    def logits(self, x: Array, dropout: Dropout) -> Array:
        """The logits of examples x [B, ...] as in the store, [B, classes], or [B, positions, classes].

        It makes the layers and applies them: always the same ones in the same order, each with a name of its own.
        """
        raise NotImplementedError

    @cached_property
    def _weights(self) -> list[Weight]:
        """What the layers ask for, found out in a function that is thrown away.

        Not in a plain graph: a layer that is made there spoils, in Keras 2, all layers that were made elsewhere.
        """
        found = []

        def note(_: Any, *, name: str, shape: Any, dtype: Any, initial_value: Any, **__: Any) -> Array:
            block = Block(f"{tf.get_current_name_scope()}/{name}", tuple(shape), penalised=name in KERNELS)
            found.append(Weight(block, initial_value))
            return tf.zeros(shape, dtype)

        def trace() -> None:
            with _variables_by(note):
                self.logits(tf.zeros([1, *self.data.shape], tf.uint8), Dropout())

        tf.function(trace, autograph=False).get_concrete_function()
        return found

    @property
    def blocks(self) -> list[Block]:
        return [weight.block for weight in self._weights]

    def initial(self, seed: int) -> np.ndarray:
        seeds = np.random.default_rng(seed).integers(2**31, size=len(self._weights))
        drawn = [_drawn(weight, int(own)) for weight, own in zip(self._weights, seeds, strict=True)]
        return np.concatenate([np.ravel(array) for array in drawn]).astype(float)

    def losses(self, w: Array, batch: Batch) -> Array:
        return _over_positions(cross_entropy(self._logits_of(w, batch), batch))

    @property
    def measured(self) -> Measured:
        return CLASSIFIED

    def example_metrics(self, w: Array, batch: Batch) -> dict[str, Array]:
        def of_one(params: Array) -> dict[str, Array]:
            metrics = classification_metrics(self._logits_of(params[None], batch), batch)
            return {name: _over_positions(values)[0] for name, values in metrics.items()}

        return tf.map_fn(of_one, w, fn_output_signature={"loss": w.dtype, "accuracy": w.dtype})

    def probabilities(self, w: Array, batch: Batch) -> Array:
        return tf.nn.softmax(self._logits_of(w, batch))

    def _logits_of(self, w: Array, batch: Batch) -> Array:
        """The logits of the parameters w [1, 1, d], [1, 1, B, classes] or [1, 1, B, positions, classes].

        Where there is one label and the network has logits at every position, those at the last one.
        """
        dropout = Dropout(NONE if absent(batch.key) else batch.key[0])
        with self.given(w[0, 0]):
            logits = self.logits(batch.x[0], dropout)
        if logits.shape.rank > batch.y.shape.rank:
            logits = logits[:, -1]
        return tf.cast(logits, w.dtype)[None, None]

    def given(self, params: Array) -> contextlib.AbstractContextManager[None]:
        """Layers that are made inside get their weights from the parameters [d], in order."""
        blocks = self.blocks
        parts = tf.split(tf.cast(params, tf.float32), [block.size for block in blocks])
        return _variables_from([tf.reshape(part, block.shape) for block, part in zip(blocks, parts, strict=True)])


def check_multiple(words: str, value: int, of: str, divisor: int) -> None:
    """Checks that a shape can be split evenly.

    Raises:
        AtlasError: if it cannot.
    """
    if value % divisor:
        raise AtlasError(f"{words} {value}, but must be a multiple of '{of}', {divisor}.")


def images(x: Array) -> Array:
    """Images [B, rows, columns, channels] from bytes: fractions of 255, and coloured ones normalised by channel."""
    x = tf.cast(x, tf.float32) / 255
    if x.shape.rank == 3:
        return x[..., None]
    return (x - CHANNEL_MEANS) / CHANNEL_DEVIATIONS if x.shape[-1] == 3 else x


def convolved(name: str, x: Array, filters: int, size: int, stride: int = 1) -> Array:
    """A convolution without biases, as many positions as the stride leaves."""
    return tf.keras.layers.Conv2D(filters, size, stride, "same", use_bias=False, name=f"{name}_conv")(x)


def normalised(name: str, x: Array, groups: int) -> Array:
    """GroupNorm over so many groups of channels."""
    from fedatlas.problems._keras_layers import GroupNorm  # it needs TensorFlow

    return GroupNorm(groups, name=f"{name}_norm")(x)


@contextlib.contextmanager
def _variables_from(parts: Iterable[Array]) -> Iterator[None]:
    """Layers get these tensors where they ask for variables."""
    following = iter(parts)

    def take(_: Any, **__: Any) -> Array:
        return next(following)

    with _variables_by(take):
        yield


@contextlib.contextmanager
def _variables_by(create: Callable[..., Array]) -> Iterator[None]:
    """Layers get what `create` returns where they ask for variables."""
    with contextlib.ExitStack() as scopes:
        with tf.init_scope():  # where Keras makes the variables of a layer that is called in a function
            scopes.enter_context(tf.variable_creator_scope(create))
        scopes.enter_context(tf.variable_creator_scope(create))
        yield


def _drawn(weight: Weight, seed: int) -> Array:
    """A weight as its layer draws it, with this seed."""
    draw = weight.initial_value
    initializer: Any = draw.func
    config = initializer.get_config() if hasattr(initializer, "get_config") else {}
    if "seed" in config:
        return type(initializer).from_config(config | {"seed": seed})(*draw.args, **draw.keywords)
    return draw()


def _over_positions(values: Array) -> Array:
    """The means [G, C, B] of values [G, C, B, ...]."""
    return tf.reduce_mean(values, list(range(3, values.shape.rank)))
