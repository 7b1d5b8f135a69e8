"""Small networks and those of the paper, with examples, for the tests of networks."""

from __future__ import annotations

from functools import cache

import numpy as np
import tensorflow as tf

from fedatlas.problems import problems
from fedatlas.problems.base import Batch, Data

CLASSES, EXAMPLES = 7, 5
SMALL = {  # shapes and options
    "cnn": ((12, 12), {"filters": [3, 4], "units": 6, "dropout": [0.25, 0.5]}),
    "resnet": ((8, 8, 3), {"filters": 4, "stages": [1, 2], "groups": 2}),
    "lstm": ((6,), {"embedding": 5, "units": 4, "layers": 2, "dropout": 0.3}),
    "vit": ((8, 8, 3), {"patch": 4, "layers": 2, "hidden": 6, "mlp": 5, "heads": 3}),
    "leaf_cnn": ((16, 16), {"filters": [3, 4], "units": 6}),
    "mobilenet": ((8, 8, 3), {"divisor": 8, "groups": 1, "dropout": 0.2}),
}
PAPER = {
    "cnn": ((28, 28), 62, {"filters": [32, 64], "units": 128, "dropout": [0.25, 0.5]}),
    "resnet": ((32, 32, 3), 10, {"filters": 64, "stages": [2, 2, 2, 2], "groups": 2}),
    "lstm": ((80,), 79, {"embedding": 256, "units": 256, "layers": 2, "dropout": 0.2}),
    "vit": ((32, 32, 3), 100, {"patch": 4, "layers": 7, "hidden": 384, "mlp": 384, "heads": 12}),
    "leaf_cnn": ((28, 28), 62, {"filters": [32, 64], "units": 2048}),
    "mobilenet": ((32, 32, 3), 10, {"divisor": 1, "groups": 2, "dropout": 0.2}),
}


SHORT = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 1, 2))  # of a mobile network: no expansion, a stride, a shortcut


def network(name, shape, classes, options, cls=None):
    return (cls or problems[name])(data=Data(shape, classes, {}), **options)


def short_mobilenet():
    """The class with so few of its stages that it is traced as soon as others."""
    return type("ShortMobileNet", (problems["mobilenet"],), {"stages": SHORT})


def small(name, **changes):
    shape, options = SMALL[name]
    return network(name, shape, CLASSES, options | changes, _class_of(name)) if changes else _usual(name)


def _class_of(name):
    return short_mobilenet() if name == "mobilenet" else problems[name]


@cache
def _usual(name):
    """One for all tests, which need not find out its weights again."""
    return network(name, SMALL[name][0], CLASSES, SMALL[name][1], _class_of(name))


def random_examples(name, count=EXAMPLES, labels=()):
    rng, shape = np.random.default_rng(1), SMALL[name][0]
    x = rng.integers(0, CLASSES if name == "lstm" else 256, (count, *shape), np.uint8)
    return x, rng.integers(0, CLASSES, (count, *labels), np.int32)


def as_batch(x, y, key=()):
    return Batch(tf.constant(x)[None], tf.constant(y)[None], tf.ones([1, len(x)], tf.bool), key)


def drawn(chosen, seed=0):
    """Parameters of which none is exactly 0 or 1, [1, 1, d]."""
    start = chosen.initial(seed)
    return tf.constant(start + 0.1 * np.random.default_rng(seed).normal(size=len(start)), tf.float32)[None, None]


@cache
def rounding(name):
    """What a loss of a small network, or a part of its gradient, may be off by in float32, as a share of its size.

    An eps for every term of the sums that follow each other, the longest first: those of a layer's inputs, and an
    LSTM's at every place of the sequence.
    """
    terms = sum(block.size // block.shape[-1] for block in small(name).blocks)
    return np.finfo(np.float32).eps * terms * (SMALL[name][0][0] if name == "lstm" else 1)


def parts_of(chosen, w):
    parts = np.split(np.array(w).ravel(), np.cumsum([block.size for block in chosen.blocks])[:-1])
    return [part.reshape(block.shape) for part, block in zip(parts, chosen.blocks, strict=True)]
