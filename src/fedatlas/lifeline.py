"""Processes that end when the one that started them ends, however it ended."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable

import psutil


def follow_parent(then: Callable[[], None], every: float = 0.5) -> None:
    """Watches the parent process from a background thread and calls `then` once when it is gone.

    A killed parent can tell nobody, so its child has to look.

    Args:
        then: called in the background thread.
        every: seconds between two looks.
    """
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(every)
        then()

    threading.Thread(target=watch, name="lifeline", daemon=True).start()


def terminate_self() -> None:
    """Sends SIGTERM to this process, so that its handler cleans up in the main thread."""
    os.kill(os.getpid(), signal.SIGTERM)


def end_children(grace: float = 5.0) -> None:
    """Ends every descendant of this process: with SIGTERM, and after `grace` seconds with SIGKILL."""
    children = psutil.Process().children(recursive=True)
    for end in (psutil.Process.terminate, psutil.Process.kill):
        for child in children:
            with contextlib.suppress(psutil.NoSuchProcess):
                end(child)
        until = time.monotonic() + grace
        while (children := [child for child in children if _alive(child)]) and time.monotonic() < until:
            time.sleep(0.05)


def _alive(process: psutil.Process) -> bool:
    # Looking must not reap: whoever started a child waits for its exit status.
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.status() != psutil.STATUS_ZOMBIE
    return False
