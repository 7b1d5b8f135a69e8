"""Sparing Python the search for garbage in all of memory."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def little_to_search() -> Iterator[None]:
    """Leaves what is in memory now out of every search for garbage; nilearn asks for one after each image.

    What a process has set aside before (`gc.freeze`) stays so, and then what is in memory now does too.
    """
    ours = gc.get_freeze_count() == 0
    gc.collect(1)  # what is young and already garbage is not to be kept
    gc.freeze()
    try:
        yield
    finally:
        if ours:
            gc.unfreeze()
