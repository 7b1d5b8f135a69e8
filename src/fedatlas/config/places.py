"""Where in a file something stands, for sentences about mistakes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from fedatlas.errors import AtlasError, Keys

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast where libyaml is there
Root = tuple[Path, Keys]  # a file, and the keys under which a value stands in it


@dataclass(frozen=True)
class Place:
    """A value of a file.

    Attributes:
        path: the file that sentences name.
        words: what the value is, such as 'claim fco-f1'.
        roots: gives where its keys may stand, of which the first that has one counts; `path` itself if not given. It
            is asked for a sentence alone.
    """

    path: Path
    words: str = ""
    roots: Callable[[], tuple[Root, ...]] | None = None

    def under(self, *keys: str | int, words: str = "", first: bool = False) -> Place:
        """A value of this value; `first` looks there before it looks where this value's own keys stand."""

        def roots() -> tuple[Root, ...]:
            deeper = tuple((path, (*prefix, *keys)) for path, prefix in self._roots)
            return deeper + (self._roots if first else ())

        return replace(self, words=words or self.words, roots=roots)

    def naming(self, key: Keys = ()) -> str:
        """'config/x.yaml, line 3, claim fco-f1', the line of a key, or of the nearest around it."""
        path, line = self._line(key)
        where = "" if line is None else f", line {line}" if path == self.path else f" (line {line} of {path})"
        return f"{self.path}{where}{f', {self.words}' if self.words else ''}"

    def error(self, error: AtlasError) -> AtlasError:
        """The error with the file and the line of its key."""
        return AtlasError(f"{self.naming(error.key)}: {error}")

    def __str__(self) -> str:
        return self.naming()

    @property
    def _roots(self) -> tuple[Root, ...]:
        return self.roots() if self.roots else ((self.path, ()),)

    def _line(self, key: Keys) -> tuple[Path, int | None]:
        """The file and the line of a key; of the longest part of it that stands anywhere."""
        trees = [(path, prefix, _tree(path)) for path, prefix in self._roots]
        for length in range(len(key), -1, -1):
            for path, prefix, tree in trees:
                line = _find(tree, (*prefix, *key[:length])) if length or prefix else None
                if line is not None:
                    return path, line
        return self.path, None


def written(key: Keys) -> str:
    """'seeds.sweep.0'."""
    return ".".join(map(str, key))


def _tree(path: Path) -> yaml.Node | None:
    try:
        return _composed(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError):
        return None


@functools.lru_cache(8)
def _composed(text: str) -> yaml.Node | None:
    return yaml.compose(text, Loader=LOADER)


def _find(node: yaml.Node | None, key: Keys) -> int | None:
    """The line of the key that leads to a value."""
    line = None
    for part in key:
        found = next(_children(node, part), None)
        if found is None:
            return None
        node, line = found
    return line


def _children(node: yaml.Node | None, part: str | int) -> Iterator[tuple[yaml.Node, int]]:
    """The value under a key or at a place, and the line on which that begins."""
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if name.value == str(part):
                yield value, name.start_mark.line + 1
    elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        yield node.value[part], node.value[part].start_mark.line + 1
