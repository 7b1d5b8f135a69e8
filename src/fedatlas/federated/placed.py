"""How the in-process engine holds the arguments and results of federated computations.

A structure is a Struct, a value at the clients a list with one entry per TFF client. What has to be done to a value
follows from its type, once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import tensorflow_federated as tff

Struct: TypeAlias = tff.structure.Struct
Conversion = Callable[[Any], Any]


class Everywhere:
    """A value that is the same at all clients."""

    def __init__(self, value: Any):
        self.value = value


def ingestion(type_spec: Any) -> Conversion:
    """From a value of this type in Python's containers to one as the interpreter holds it."""
    match type_spec:
        case tff.FederatedType():
            member = ingestion(type_spec.member)
            if type_spec.placement is not tff.CLIENTS:
                return member
            if type_spec.all_equal:
                return lambda value: Everywhere(member(value))
            return lambda value: [member(one) for one in value]
        case tff.StructType():
            names = [name for name, _ in tff.structure.to_elements(type_spec)]
            return _taking_apart(names, [ingestion(member) for member in type_spec.children()], str(type_spec))
        case _:
            return lambda value: value


def _taking_apart(names: list[str | None], parts: list[Conversion], type_name: str) -> Conversion:
    def ingest(value: Any) -> Struct:
        members = [value[name] for name in names] if isinstance(value, Mapping) else list(value)
        if len(members) != len(names):
            raise ValueError(f"expected a structure of {len(names)} elements ({type_name}), found {len(members)}")
        return Struct([(name, part(one)) for name, part, one in zip(names, parts, members, strict=True)])

    return ingest


def emission(type_spec: Any) -> Conversion:
    """From a value as the interpreter holds it to one in the Python containers that its type names."""
    match type_spec:
        case tff.FederatedType():
            member = emission(type_spec.member)
            if type_spec.placement is not tff.CLIENTS:
                return member
            return lambda value: (
                member(value.value) if isinstance(value, Everywhere) else [member(one) for one in value]
            )
        case tff.StructType():
            parts, container = [emission(member) for member in type_spec.children()], container_of(type_spec)
            return lambda value: container([part(one) for part, one in zip(parts, value, strict=True)])
        case _:
            return lambda value: value


def container_of(type_spec: Any) -> Callable[[list[Any]], Any]:
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
