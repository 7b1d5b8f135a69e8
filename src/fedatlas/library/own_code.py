"""The text that an algorithm or a layer of a user's own is made from: runs are made again when any of it changes."""

from __future__ import annotations

import functools
import inspect
import re
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

_INSTALLED = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib"))
_DEFINED = (ModuleType, type, FunctionType)
_PLAIN = (str, bytes, int, float, complex, type(None))
_WRAPPING = ("__wrapped__", "python_function", "func", "pyfunc")  # as cached ones, a tf.function, np.vectorize call it


def source_of(what: type | FunctionType) -> str:
    """The sources of a class and its bases, or of a function, and of what these name.

    They may name functions, classes, modules and constants.
    Of a callable object, such as a partial or a cached function, what it calls counts, and of an object of a class of
    the user's own the class and what the object holds.

    What is installed and what the atlas itself is made of are left out.
    """
    texts: dict[int, str] = {}
    waiting: list[Any] = [*getattr(what, "__mro__", [what])]
    while waiting:
        thing = waiting.pop()
        if id(thing) not in texts and _is_own(thing):
            texts[id(thing)] = _text(thing)
            waiting += _named_by(thing)
    return "\n".join(sorted(set(texts.values())))


def _is_own(thing: Any) -> bool:
    """Whether a user wrote it; a constant or another object that is named by what a user wrote is."""
    if not isinstance(thing, _DEFINED):
        return True
    name = _module(thing)
    if name == "__main__" or name not in sys.modules:
        return True
    file = getattr(sys.modules[name], "__file__", None)
    return bool(file) and name.partition(".")[0] != "fedatlas" and not str(file).startswith(_INSTALLED)


def _module(thing: ModuleType | type | FunctionType) -> str:
    return thing.__name__ if isinstance(thing, ModuleType) else thing.__module__


def _text(thing: Any) -> str:
    """Of a module or of what is defined in one, its file; in a script or a notebook, of the thing alone."""
    if isinstance(thing, np.ndarray):
        return f"{thing.dtype}{thing.shape}{thing.tobytes()!r}"
    if isinstance(thing, set | frozenset):
        return str(sorted(map(repr, thing)))
    if not isinstance(thing, _DEFINED):
        return _of_object(thing)
    name = _module(thing)
    if name != "__main__" and name in sys.modules:
        return Path(str(sys.modules[name].__file__)).read_text(encoding="utf-8", errors="replace")
    try:
        text = inspect.getsource(thing)
    except (OSError, TypeError):  # a class of a notebook, or what is typed into an interpreter
        plain = [f"{name}={value!r}" for name, value in vars(thing).items() if isinstance(value, str | float | int)]
        text = f"{thing.__name__}{plain}{[_compiled(code) for code in _codes(_functions(thing))]}"
    return text + "".join(f"\n{name} = {one.__qualname__}" for name, one in _put_in(thing).items())


def _of_object(thing: Any) -> str:
    """Of a constant, what it prints; of an object of a user's own class what it holds, too."""
    if callable(thing) and not _is_own(type(thing)) and not _behind(thing):
        return ""  # installed
    held = _held(thing).items()
    text = repr(thing) + "".join(f"\n{name} = {_text(one) if _is_plain(one) else repr(one)}" for name, one in held)
    return re.sub(r" at 0x[0-9a-fA-F]+", "", text)


def _is_plain(thing: Any) -> bool:
    return isinstance(thing, (*_PLAIN, np.ndarray, set, frozenset))


def _held(thing: Any) -> dict[str, Any]:
    """The attributes of an object of a user's own class."""
    return dict(getattr(thing, "__dict__", {})) if _is_own(type(thing)) else {}


def _behind(thing: Any) -> list[Any]:
    """What an object that is no function, class or module has been made from, as far as it may hold code."""
    if _is_own(type(thing)):
        return [type(thing), *_held(thing).values()]
    if isinstance(thing, functools.partial | functools.partialmethod):
        return [thing.func, *thing.args, *thing.keywords.values()]
    if isinstance(thing, MethodType):
        return [thing.__func__, thing.__self__]
    if isinstance(thing, list | tuple | set | frozenset | dict):
        values = thing.values() if isinstance(thing, dict) else thing
        return [one for one in values if not isinstance(one, _PLAIN)]
    static = (name for name in _WRAPPING if inspect.getattr_static(thing, name, None) is not None)
    return [getattr(thing, name) for name in static]


def _put_in(thing: Any) -> dict[str, FunctionType]:
    """The methods that a class was given after it had been written."""
    members = vars(thing).items() if isinstance(thing, type) else ()
    own = {name: one for name, one in members if isinstance(one, FunctionType)}
    return {name: one for name, one in own.items() if one.__qualname__ != f"{thing.__qualname__}.{name}"}


def _compiled(code: CodeType) -> str:
    constants = [_text(constant) for constant in code.co_consts if not isinstance(constant, CodeType)]
    return f"{code.co_code!r}{code.co_names}{code.co_varnames}{constants}"


def _named_by(thing: Any) -> Iterator[Any]:
    if isinstance(thing, ModuleType):
        if thing.__name__ != "__main__":  # of which only what is named counts
            yield from (one for one in vars(thing).values() if isinstance(one, ModuleType) or callable(one))
        return
    if not isinstance(thing, _DEFINED):
        yield from _behind(thing)
    if isinstance(thing, type):  # methods that are objects: cached ones, partial ones, those of tf.function
        members = (one for name, one in vars(thing).items() if not name.startswith("__"))
        yield from (one for one in members if not isinstance(one, (*_DEFINED, *_PLAIN)) and _behind(one))
    yield from _put_in(thing).values()
    for function in _functions(thing):
        names = {name: None for code in _codes([function]) for name in code.co_names}
        yield from (function.__globals__[name] for name in names if name in function.__globals__)
        yield from inspect.getclosurevars(function).nonlocals.values()


def _functions(thing: Any) -> list[FunctionType]:
    """A function itself; the methods of a class, those that are decorated too."""
    if isinstance(thing, FunctionType):
        return [inspect.unwrap(thing)]
    members = vars(thing).values() if isinstance(thing, type) else ()
    bare = (getattr(one, "__func__", getattr(one, "fget", one)) for one in members)
    return [inspect.unwrap(one) for one in bare if isinstance(one, FunctionType)]


def _codes(functions: Iterable[FunctionType]) -> Iterator[CodeType]:
    """The code of functions and of the functions within them."""
    waiting = [function.__code__ for function in functions]
    while waiting:
        code = waiting.pop()
        yield code
        waiting += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
