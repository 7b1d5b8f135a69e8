"""Reading a YAML file: everything that is wrong with it as a file is told here, with the line."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from fedatlas.config.places import LOADER, Place, written
from fedatlas.errors import AtlasError, Keys


class _Once:
    """A loader that refuses a key that appears twice in a mapping, where YAML takes the last without a word."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: dict[str, int] = {}
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                raise _TwiceError(key.value, seen[key.value], key.start_mark.line + 1)
            if isinstance(key, yaml.ScalarNode):
                seen[key.value] = key.start_mark.line + 1
        return super().construct_mapping(node, deep)  # type: ignore[misc]


class _TwiceError(Exception):
    def __init__(self, key: str, first: int, line: int):
        self.key, self.first, self.line = key, first, line


class _Fast(_Once, LOADER):
    """libyaml's parser."""


class _Exact(_Once, yaml.SafeLoader):
    """PyYAML's own parser, which knows the line of a mistake."""


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping that a YAML file holds.

    Raises:
        AtlasError: if the file is missing, is no text, is not YAML, does not hold a mapping, or has a key twice, a
            number that is not finite, or a value that contains itself.
    """
    content = _parsed(path, _text(path))
    if not isinstance(content, dict):
        raise AtlasError(f"{path} must hold a mapping of keys to values, but holds {_kind(content)}.")
    for key, what in _impossible(content):
        raise AtlasError(f"{Place(path).naming(key)}: '{written(key)}' {what}.")
    return content


def _text(path: Path) -> str:
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise AtlasError(f"{path} does not exist: check the name, or restore the file from git.") from error
    except OSError as error:
        raise AtlasError(f"{path} cannot be read: {error.strerror}.") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, byte = content.count(b"\n", 0, error.start) + 1, content[error.start]
        raise AtlasError(f"{path}, line {line} is not UTF-8 text (byte 0x{byte:02x}): save it as UTF-8.") from error


def _parsed(path: Path, text: str) -> Any:
    """What YAML says."""
    try:
        try:
            return yaml.load(text, Loader=_Fast)
        except yaml.YAMLError:
            return yaml.load(text, Loader=_Exact)
    except _TwiceError as error:
        raise AtlasError(
            f"{path}, line {error.line}: the key '{error.key}' appears twice, first on line {error.first}: keep one."
        ) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read")
        raise AtlasError(f"{path}{line} is not valid YAML: {problem}.") from error
    except (ValueError, OverflowError) as error:  # such as a date with a thirteenth month
        raise AtlasError(f"{path} is not valid YAML: {error}.") from error
    except RecursionError as error:
        raise AtlasError(f"{path} is nested too deeply.") from error


def _kind(content: Any) -> str:
    return {list: "a list", type(None): "nothing", str: "text"}.get(type(content), "a single value")


def _impossible(content: Any, key: Keys = (), around: tuple[int, ...] = ()) -> Iterator[tuple[Keys, str]]:
    """The keys of values that no file here may hold, and what is wrong with them."""
    if isinstance(content, float) and not math.isfinite(content):
        yield key, f"is {content}, but must be a finite number"
    if not isinstance(content, dict | list):
        return
    if id(content) in around:
        yield key, "contains itself"
        return
    parts = content.items() if isinstance(content, Mapping) else enumerate(content)
    for part, value in parts:
        if isinstance(value, float | dict | list):
            yield from _impossible(value, (*key, part), (*around, id(content)))
