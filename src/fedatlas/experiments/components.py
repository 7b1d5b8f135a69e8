"""Checking the options of registered things against their dataclass fields."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any

from fedatlas.errors import AtlasError

_TYPES = {"float": (int, float), "int": (int,), "bool": (bool,), "str": (str,)}


def check_component(kind: str, cls: type, options: Mapping[str, Any], skip: Collection[str] = ()) -> None:
    """Checks `options` against the fields of the dataclass `cls`, but for the fields in `skip`.

    Raises:
        AtlasError: on an unknown or missing option, a wrong type or a value out of bounds.
    """
    fields = {field.name: field for field in dataclasses.fields(cls) if field.name not in skip}
    for name in options:
        if name not in fields:
            raise AtlasError(
                f"unknown key '{kind}.{name}' (value {options[name]!r}); allowed here: {', '.join(fields) or 'none'}."
            )
    for name, field in fields.items():
        if name not in options:
            if field.default is dataclasses.MISSING:
                raise AtlasError(f"the key '{kind}.{name}' is missing.")
            continue
        _check_value(f"{kind}.{name}", field, options[name])


def _check_value(key: str, field: dataclasses.Field, value: Any) -> None:
    kind, bounds = str(field.type), field.metadata
    if not kind.startswith("Sequence["):
        _check_scalar(f"'{key}' is", kind, bounds, value)
        return
    if not isinstance(value, (list, tuple)):
        raise AtlasError(f"'{key}' is {value!r}, but must be a list.")
    if len(value) != bounds.get("length", len(value)) or not value:
        raise AtlasError(f"'{key}' is {value!r}, but must have {bounds.get('length', 'one or more')} entries.")
    for entry in value:
        _check_scalar(f"'{key}' holds", kind.removeprefix("Sequence[").removesuffix("]"), bounds, entry)


def _check_scalar(words: str, kind: str, bounds: Mapping[str, Any], value: Any) -> None:
    types = _TYPES.get(kind)
    if types and (not isinstance(value, types) or (isinstance(value, bool) and bool not in types)):
        raise AtlasError(f"{words} {value!r}, but must be of type {kind}.")
    at_least, below = bounds.get("at_least"), bounds.get("below")
    if at_least is not None and value < at_least:
        raise AtlasError(f"{words} {value!r}, but must be at least {at_least:g}.")
    if value not in bounds.get("among", (value,)):
        raise AtlasError(f"{words} {value!r}, but must be one of: {', '.join(bounds['among'])}.")
    if below is not None and value >= below:
        raise AtlasError(f"{words} {value!r}, but must be below {below:g}.")
