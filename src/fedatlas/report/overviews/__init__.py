"""One file per kind of figure that shows several experiments, or none. The folder is the registry."""

from __future__ import annotations

import functools

from fedatlas.registry import Registry
from fedatlas.report.overviews._base import Overview

overviews: Registry[Overview] = Registry(__name__, Overview, "kind of overview")


@functools.cache
def overview(kind: str) -> Overview:
    """The kind of that name.

    Raises:
        AtlasError: if there is none; lists those that are.
    """
    return overviews[kind]()
