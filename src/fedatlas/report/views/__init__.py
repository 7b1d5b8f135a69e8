"""One file per kind of figure. The folder is the registry: the module's name is the kind everywhere."""

from __future__ import annotations

import functools

from fedatlas.registry import Registry
from fedatlas.report.views._base import View

views: Registry[View] = Registry(__name__, View, "kind of figure")


@functools.cache
def view(kind: str) -> View:
    """The kind of that name.

    Raises:
        AtlasError: if there is none; lists those that are.
    """
    return views[kind]()
