"""The structure of nothing, where arrays may be absent from a structure of arrays."""

from __future__ import annotations

from typing import Any

NONE: tuple[()] = ()  # not None: to `tf.nest` and to TFF it is a structure without leaves


def absent(value: Any) -> bool:
    """Whether a value stands for nothing, where else there is an array."""
    return isinstance(value, tuple) and not value
