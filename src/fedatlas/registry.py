"""Folders as registries: a thing is registered by being a file in the right folder."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Generic, TypeVar

from fedatlas.errors import AtlasError
from fedatlas.names import instead
from fedatlas.own_files import naming_mistakes

T = TypeVar("T")


class Registry(Mapping[str, type[T]], Generic[T]):
    """The subclasses of `base` that the modules of `package` define, one each, by the module's name.

    Modules whose names begin with `_` are helpers and register nothing; nor does the one that defines `base`.

    Looking up a name that is not there raises an AtlasError that names a similar one, or lists those that are.
    """

    def __init__(self, package: str, base: type[T], kind: str):
        self._package, self._base, self._kind = package, base, kind
        self._added: dict[str, type[T]] = {}

    def register(self, name: str, cls: type[T]) -> None:
        """Makes a class of a program findable by a name; the registry still lists what the atlas itself has.

        Raises:
            AtlasError: if the atlas has something else of that name, or `cls` is no subclass of the base class.
        """
        if name in self._classes:
            raise AtlasError(f"the atlas has the {self._kind} '{name}' itself: choose another name.")
        if not (isinstance(cls, type) and issubclass(cls, self._base)):
            raise AtlasError(f"'{name}' is {cls!r}, but must be a subclass of {self._base.__name__}.")
        self._added[name] = cls

    @cached_property
    def _classes(self) -> dict[str, type[T]]:
        found = {}
        for module in pkgutil.iter_modules(importlib.import_module(self._package).__path__):
            path = f"{self._package}.{module.name}"
            if not module.name.startswith("_") and path != self._base.__module__:
                with naming_mistakes(Path(module.module_finder.path, f"{module.name}.py")):  # type: ignore[union-attr]
                    found[module.name] = self._only_class(path)
        return dict(sorted(found.items()))

    def _only_class(self, module_name: str) -> type[T]:
        module = importlib.import_module(module_name)
        classes = [
            value
            for value in vars(module).values()
            if isinstance(value, type) and issubclass(value, self._base) and value.__module__ == module_name
        ]
        if len(classes) != 1:
            raise AtlasError(
                f"{module.__file__} must define one {self._kind} (a subclass of {self._base.__name__}), "
                f"but defines {len(classes)}."
            )
        return classes[0]

    def __getitem__(self, name: str) -> type[T]:
        found = self._added.get(name) or self._classes.get(name)
        if found is None:
            raise AtlasError(f"unknown {self._kind} '{name}'; {instead(name, self._classes)}")
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._added or name in self._classes

    def __iter__(self) -> Iterator[str]:
        return iter(self._classes)

    def __len__(self) -> int:
        return len(self._classes)
