"""Tracing Python functions into computations of TFF, each of them once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff


def computation(function: Callable[..., Any], *parameters: Any) -> Any:
    """`function` as a `tff.tensorflow.computation` whose graph is one call.

    TFF and the engines copy a graph operation by operation, but what it calls as a whole. Nothing is rewritten by
    AutoGraph, for every loop here is already TensorFlow's.

    Args:
        parameters: the types of the arguments.
    """
    traced = tf.function(function, autograph=False)

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        return traced(*arguments, **named)

    return tff.tensorflow.computation(call, *parameters)


def structure_of(function: Any, *arguments: Any) -> Any:
    """What a `tf.function` returns for such arguments, as tensor specs; its trace is the one that calls use later."""
    return tf.nest.map_structure(
        lambda spec: tf.TensorSpec(spec.shape, spec.dtype),
        function.get_concrete_function(*arguments).structured_outputs,
    )
