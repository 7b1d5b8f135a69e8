"""Sparing Python the search for garbage in all of memory."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def little_to_search() -> Iterator[None]:
    """While nilearn works, which searches all of memory for garbage after every image: what is there is left out.

    In a process that has set memory aside already (`gc.freeze`), all of it stays aside.
    """
    ours = gc.get_freeze_count() == 0
    gc.collect(1)
    gc.freeze()
    try:
        yield
    finally:
        if ours:
            gc.unfreeze()
