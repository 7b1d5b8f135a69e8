"""Checking the options of registered things against their dataclass fields."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping
from typing import Any

from fedatlas.errors import AtlasError
from fedatlas.names import instead, nearest, shown

_TYPES = {"float": (int, float), "int": (int,), "bool": (bool,), "str": (str,)}
_IN_WORDS = {"float": "a number", "int": "a whole number", "bool": "true or false", "str": "text"}


def check_component(
    kind: str, cls: type, options: Mapping[str, Any], skip: Collection[str] = (), beside: Collection[str] = ()
) -> None:
    """Checks `options` against the fields of the dataclass `cls`, but for the fields in `skip`.

    Args:
        kind: what the options are of, such as `problem.penalty`; sentences name them so.
        beside: further keys that may stand beside the options, and may have been meant.

    Raises:
        AtlasError: on an unknown or missing option, a wrong type or a value out of bounds.
    """
    fields = {field.name: field for field in dataclasses.fields(cls) if field.name not in skip}
    key: tuple[str, ...] = tuple(kind.split("."))
    lacking = [name for name, field in fields.items() if name not in options and field.default is dataclasses.MISSING]
    for name in options:
        if name not in fields:
            likely = lacking if nearest(name, lacking) else [*fields, *beside]
            hint = instead(name, likely, "allowed here are")
            raise AtlasError(f"unknown key '{kind}.{name}' (value {shown(options[name])}); {hint}", (*key, name))
    if lacking:
        raise AtlasError(f"the key '{kind}.{lacking[0]}' is missing.", key)
    for name, value in options.items():
        try:
            _check_value(f"{kind}.{name}", fields[name], value)
        except AtlasError as error:
            raise AtlasError(str(error), (*key, name)) from error


def _check_value(key: str, field: dataclasses.Field, value: Any) -> None:
    kind, bounds = str(field.type), field.metadata
    if not kind.startswith("Sequence["):
        _check_scalar(f"'{key}' is", kind, bounds, value)
        return
    if not isinstance(value, (list, tuple)):
        raise AtlasError(f"'{key}' is {shown(value)}, but must be a list.")
    if len(value) != bounds.get("length", len(value)) or not value:
        raise AtlasError(f"'{key}' is {shown(value)}, but must have {bounds.get('length', 'one or more')} entries.")
    for entry in value:
        _check_scalar(f"'{key}' holds", kind.removeprefix("Sequence[").removesuffix("]"), bounds, entry)


def _check_scalar(words: str, kind: str, bounds: Mapping[str, Any], value: Any) -> None:
    types, value_words = _TYPES.get(kind), shown(value)
    if types and (not isinstance(value, types) or (isinstance(value, bool) and bool not in types)):
        raise AtlasError(f"{words} {value_words}, but must be {_IN_WORDS[kind]}.")
    if isinstance(value, float) and not math.isfinite(value):
        raise AtlasError(f"{words} {value_words}, but must be a finite number.")
    at_least, below = bounds.get("at_least"), bounds.get("below")
    if at_least is not None and value < at_least:
        raise AtlasError(f"{words} {value_words}, but must be at least {at_least:g}.")
    if not _is_among(value, bounds):
        raise AtlasError(f"{words} {value_words}, but must be one of: {', '.join(bounds['among'])}.")
    if below is not None and value >= below:
        raise AtlasError(f"{words} {value_words}, but must be below {below:g}.")


def _is_among(value: Any, bounds: Mapping[str, Any]) -> bool:
    return "among" not in bounds or (isinstance(value, str) and value in bounds["among"])
