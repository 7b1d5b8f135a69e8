"""Roles that say in one sentence what is wrong with them, where TensorFlow would tell it in a hundred lines.

An algorithm of a user's own meets its first tensor while its roles are traced, so it is looked at there and then: a
role that is missing or takes other arguments, a mistake in its body, and a result of another kind than the round needs.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import tensorflow as tf

from fedatlas.algorithms.base import ROLES, Algorithm
from fedatlas.errors import AtlasError
from fedatlas.own_files import in_words, line_reached

# What a line that somebody has just written raises. All else, such as a lack of memory, is none of their making.
MISTAKES = (
    ArithmeticError, AttributeError, LookupError, NameError, NotImplementedError, TypeError, ValueError,
    tf.errors.InvalidArgumentError,
)  # fmt: skip
A = TypeVar("A", bound=Algorithm)


def speaking(algorithm: A) -> A:
    """The same algorithm; its roles raise an `AtlasError` where they are wrong."""
    for role in ROLES:
        object.__setattr__(algorithm, role, functools.partial(_call, getattr(algorithm, role), role))  # it is frozen
    return algorithm


def _call(role: Callable[..., Any], name: str, *arguments: Any) -> Any:
    who = f"{type(role.__self__).__name__}.{name}"  # type: ignore[attr-defined]  # a bound method
    _check_arguments(role, name, who)
    try:
        result = role(*arguments)
    except NotImplementedError as error:
        if said := str(error):  # of what the role calls, such as a penalty without a subgradient
            raise AtlasError(f"{who} fails: {said}.") from error
        raise AtlasError(f"{who} is not written, but the round needs it: see fedatlas/algorithms/base.py.") from error
    except MISTAKES as error:
        raise AtlasError(f"{who} fails{_place(error, role)}: {_words(error)}") from error
    _check_result(name, who, result, arguments)
    return result


def _check_arguments(role: Callable[..., Any], name: str, who: str) -> None:
    needed = list(inspect.signature(getattr(Algorithm, name)).parameters)[1:]
    try:
        inspect.signature(role).bind(*needed)
    except TypeError:
        taken = ", ".join(inspect.signature(role).parameters)
        raise AtlasError(f"{who} takes ({taken}), but must take ({', '.join(needed)}).") from None


def _check_result(name: str, who: str, result: Any, arguments: tuple) -> None:
    """Checks a result against what the round goes on with: a state that has become another one, two parts, a model."""
    if name in ("step", "update_server"):
        _check_alike(who, result, arguments[0])
    elif name == "finish":
        if type(result) is not tuple or len(result) != 2:
            two = "the update and the client's new state, () if it keeps none"
            raise AtlasError(f"{who} returns {_shown(result)}, but must return two things: {two}.")
        _check_alike(who, result[1], arguments[3], " as the client's new state")
    elif name == "model" and not (tf.is_tensor(result) and result.shape.rank == 3):
        raise AtlasError(f"{who} returns {_shown(result)}, but must return the reported model, [G, 1, d].")


def _check_alike(who: str, new: Any, old: Any, part: str = "") -> None:
    """Checks that a new state has the arrays of the old one; axes of length one may stand for longer ones."""
    but = f"{who} returns {_shown(new)}{part}, but must return what is like {_shown(old)}"
    try:
        tf.nest.assert_same_structure(new, old)
    except (TypeError, ValueError) as error:
        raise AtlasError(f"{but}.") from error
    for one, other in zip(map(tf.convert_to_tensor, tf.nest.flatten(new)), tf.nest.flatten(old), strict=True):
        if one.dtype != other.dtype:
            raise AtlasError(f"{but}: {one.dtype.name} is not {other.dtype.name}.")
        if one.shape.rank != other.shape.rank or not _stretches(one.shape, other.shape):
            raise AtlasError(f"{but}: shape {one.shape} is not {other.shape}.")


def _stretches(shape: tf.TensorShape, to: tf.TensorShape) -> bool:
    return all(n == m or n == 1 or None in (n, m) for n, m in zip(shape.as_list(), to.as_list(), strict=True))


def _shown(value: Any) -> str:
    """'Server(params=[4, 1, 12])'."""
    if tf.is_tensor(value):
        return str(value.shape.as_list())
    if fields := getattr(value, "_fields", ()):  # of a NamedTuple
        return f"{type(value).__name__}({', '.join(f'{name}={_shown(getattr(value, name))}' for name in fields)})"
    if isinstance(value, tuple | list):
        return f"({', '.join(map(_shown, value))})"
    return "nothing" if value is None else type(value).__name__


def _place(error: Exception, role: Callable[..., Any]) -> str:
    """' in mine.py, line 12', of the last line in the file that the role is in."""
    file = inspect.unwrap(role).__code__.co_filename
    line = line_reached(error, file)
    return f" in {Path(file).name}{line}" if line else ""


def _words(error: Exception) -> str:
    """What a mistake is; of one that TensorFlow tells badly, what to write instead."""
    if isinstance(error, tf.errors.OperatorNotAllowedInGraphError):
        return "a tensor has no value yet where Python asks (if, while, and, not): use `tf.where` instead."
    return in_words(error)
