"""A federated computation as one TensorFlow function.

The interpreter calls one TensorFlow function for each building block that computes: the broadcast, the local work of
each TFF client, the sum and the update. All of it is traced once for each number of clients into one graph that calls
the same functions. A round is then one call, in which TensorFlow computes the clients side by side on as many threads
as it has between operations.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff

Struct = tff.structure.Struct


class Everywhere:
    """A value that is the same at all clients; one that differs is a list with one entry for each."""

    def __init__(self, value: Any):
        self.value = value


class Composed:
    """A federated computation as a function of its argument.

    Args:
        interpreted: evaluates the building blocks. Structures are Structs, values at the clients lists or Everywhere.
        signature: the computation's type.
    """

    def __init__(self, interpreted: Callable[[Any], Any], signature: Any):
        self._interpreted = interpreted
        self._parameter, self._result = signature.parameter, signature.result
        self._leaves_of = (lambda arg, clients: []) if self._parameter is None else _flattening(self._parameter)
        self._traced = functools.cache(self._trace)
        self._assembled = functools.cache(functools.partial(_assembly, self._result))

    def __call__(self, arg: Any) -> Any:
        counts: set[int] = set()
        leaves = self._leaves_of(arg, counts)
        if len(counts) > 1:
            raise ValueError(f"values at the clients have different numbers of clients: {sorted(counts)}")
        clients = max(counts, default=0)
        traced, specs = self._traced(clients)
        tensors = [tf.convert_to_tensor(leaf, spec.dtype) for leaf, spec in zip(leaves, specs, strict=True)]
        # Calling the traced function itself costs a third of a millisecond of matching arguments. The usual executor
        # of such a call has one thread, which computes one client after another.
        types = [tensor.dtype for tensor in traced.outputs]
        results = tf.raw_ops.StatefulPartitionedCall(args=tensors, Tout=types, f=traced, executor_type="DEFAULT")
        return self._assembled(clients)(iter(results))

    def _trace(self, clients: int) -> tuple[Any, list[tf.TensorSpec]]:
        def flat(*leaves: tf.Tensor) -> list[tf.Tensor]:
            arg = None if self._parameter is None else _placed(self._parameter, clients, iter(leaves))
            return [tf.convert_to_tensor(leaf) for leaf in _leaves(self._result, clients, self._interpreted(arg))]

        specs = [] if self._parameter is None else list(_specs(self._parameter, clients))
        # Not by tf.function, which would have one client wait for the other: what they run reads files or variables.
        return tf.compat.v1.wrap_function(flat, specs), specs


def _of_each_client(type_spec: Any) -> bool:
    return type_spec.placement is tff.CLIENTS and not type_spec.all_equal


def _specs(type_spec: Any, clients: int) -> Iterator[tf.TensorSpec]:
    """Those of the tensors of a type."""
    match type_spec:
        case tff.FederatedType():
            for _ in range(clients if _of_each_client(type_spec) else 1):
                yield from _specs(type_spec.member, clients)
        case tff.StructType():
            for member in type_spec.children():
                yield from _specs(member, clients)
        case _:
            yield tf.TensorSpec(type_spec.shape, type_spec.dtype)


def _flattening(type_spec: Any) -> Callable[[Any, set[int]], list[Any]]:
    """From a value of this type to its tensors, one client's after another's; notes how many clients it is at."""
    match type_spec:
        case tff.FederatedType():
            member = _flattening(type_spec.member)
            if not _of_each_client(type_spec):
                return member

            def flatten_each(value: Any, counts: set[int]) -> list[Any]:
                counts.add(len(value))
                return [leaf for one in value for leaf in member(one, counts)]

            return flatten_each
        case tff.StructType():
            return _flattening_members(type_spec)
        case _:
            return lambda value, counts: [value]


def _flattening_members(type_spec: Any) -> Callable[[Any, set[int]], list[Any]]:
    names = [name for name, _ in tff.structure.to_elements(type_spec)]
    parts = [_flattening(member) for member in type_spec.children()]

    def flatten(value: Any, counts: set[int]) -> list[Any]:
        members = [value[name] for name in names] if isinstance(value, Mapping) else list(value)
        if len(members) != len(parts):
            raise ValueError(f"expected a structure of {len(parts)} elements ({type_spec}), found {len(members)}")
        return [leaf for part, one in zip(parts, members, strict=True) for leaf in part(one, counts)]

    return flatten


def _assembly(type_spec: Any, clients: int) -> Callable[[Iterator[Any]], Any]:
    """From the tensors of a value of this type to the value in Python's containers."""
    match type_spec:
        case tff.FederatedType():
            member = _assembly(type_spec.member, clients)
            if not _of_each_client(type_spec):
                return member
            return lambda leaves: [member(leaves) for _ in range(clients)]
        case tff.StructType():
            parts, container = [_assembly(one, clients) for one in type_spec.children()], _container_of(type_spec)
            return lambda leaves: container([part(leaves) for part in parts])
        case _:
            return next


def _container_of(type_spec: Any) -> Callable[[list[Any]], Any]:
    """What makes the Python container that a type names from its members."""
    names = [name for name, _ in tff.structure.to_elements(type_spec)]
    container = getattr(type_spec, "python_container", None)
    if container is None:
        return lambda members: Struct(list(zip(names, members, strict=True)))
    if hasattr(container, "_make"):
        return container._make
    if issubclass(container, Mapping):
        return lambda members: container(zip(names, members, strict=True))
    return container


def _placed(type_spec: Any, clients: int, leaves: Iterator[Any]) -> Any:
    """From the tensors of a value of this type to the value as the interpreter holds it."""
    match type_spec:
        case tff.FederatedType():
            if _of_each_client(type_spec):
                return [_placed(type_spec.member, clients, leaves) for _ in range(clients)]
            value = _placed(type_spec.member, clients, leaves)
            return Everywhere(value) if type_spec.placement is tff.CLIENTS else value
        case tff.StructType():
            members = tff.structure.to_elements(type_spec)
            return Struct([(name, _placed(member, clients, leaves)) for name, member in members])
        case _:
            return next(leaves)


def _leaves(type_spec: Any, clients: int, value: Any) -> Iterator[Any]:
    """The tensors of a value of this type as the interpreter holds it."""
    match type_spec:
        case tff.FederatedType():
            if isinstance(value, Everywhere):
                value = [value.value] * clients if _of_each_client(type_spec) else value.value
            for one in value if _of_each_client(type_spec) else [value]:
                yield from _leaves(type_spec.member, clients, one)
        case tff.StructType():
            for member, one in zip(type_spec.children(), value, strict=True):
                yield from _leaves(member, clients, one)
        case _:
            yield value
