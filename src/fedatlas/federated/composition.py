"""A federated computation over one TFF client as one TensorFlow function.

The interpreter calls one TensorFlow function for each building block that computes: the broadcast, the local work, the
sum and the update. Where there is one TFF client, nothing could run side by side, so that all of it is traced once
into one graph that calls the same functions. What is computed stays the same, and a round is one call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff

from fedatlas.federated.placed import container_of

Function = Callable[[Any], Any]  # from an argument of a federated computation to its result


class Composed:
    """A federated computation as a function of its argument.

    Args:
        several: what evaluates it for several TFF clients, perhaps side by side.
        one: what evaluates it for one; it is traced at the first call.
        signature: the computation's type.
    """

    def __init__(self, several: Function, one: Function, signature: Any):
        self._several, self._one = several, one
        self._parameter, self._result = signature.parameter, signature.result
        self._specs = [] if self._parameter is None else list(_specs(self._parameter))
        self._leaves_of = (lambda arg: []) if self._parameter is None else _flattening(self._parameter)
        self._assembled = _assembly(self._result)
        self._traced: Any = None

    def __call__(self, arg: Any) -> Any:
        leaves = self._leaves_of(arg)
        if len(leaves) != len(self._specs):
            return self._several(arg)
        if self._traced is None:
            self._traced = self._trace()
        tensors = [tf.convert_to_tensor(leaf, spec.dtype) for leaf, spec in zip(leaves, self._specs, strict=True)]
        # Calling the traced function itself costs a third of a millisecond of matching arguments.
        types = [tensor.dtype for tensor in self._traced.outputs]
        return self._assembled(iter(tf.raw_ops.StatefulPartitionedCall(args=tensors, Tout=types, f=self._traced)))

    def _trace(self) -> Any:
        def flat(*leaves: tf.Tensor) -> list[tf.Tensor]:
            arg = None if self._parameter is None else _assembly(self._parameter)(iter(leaves))
            return [tf.convert_to_tensor(leaf) for leaf in _flattening(self._result)(self._one(arg))]

        return tf.function(flat, self._specs, autograph=False).get_concrete_function()


def _specs(type_spec: Any) -> Iterator[tf.TensorSpec]:
    """Those of the tensors of a type, for one TFF client."""
    match type_spec:
        case tff.FederatedType():
            yield from _specs(type_spec.member)
        case tff.StructType():
            for member in type_spec.children():
                yield from _specs(member)
        case _:
            yield tf.TensorSpec(type_spec.shape, type_spec.dtype)


def _flattening(type_spec: Any) -> Callable[[Any], list[Any]]:
    """From a value of this type to its tensors, one client's after another's."""
    match type_spec:
        case tff.FederatedType():
            member = _flattening(type_spec.member)
            if type_spec.placement is not tff.CLIENTS or type_spec.all_equal:
                return member
            return lambda value: [leaf for one in value for leaf in member(one)]
        case tff.StructType():
            names = [name for name, _ in tff.structure.to_elements(type_spec)]
            parts = [_flattening(member) for member in type_spec.children()]

            def flatten(value: Any) -> list[Any]:
                members = [value[name] for name in names] if isinstance(value, Mapping) else value
                return [leaf for part, one in zip(parts, members) for leaf in part(one)]  # noqa: B905

            return flatten
        case _:
            return lambda value: [value]


def _assembly(type_spec: Any) -> Callable[[Iterator[Any]], Any]:
    """From the tensors of a value of this type, for one TFF client, to the value in Python's containers."""
    match type_spec:
        case tff.FederatedType():
            member = _assembly(type_spec.member)
            if type_spec.placement is not tff.CLIENTS or type_spec.all_equal:
                return member
            return lambda leaves: [member(leaves)]
        case tff.StructType():
            parts, container = [_assembly(member) for member in type_spec.children()], container_of(type_spec)
            return lambda leaves: container([part(leaves) for part in parts])
        case _:
            return next
