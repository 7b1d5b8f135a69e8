"""Waiting for something to happen in another process."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import psutil


def wait_for(condition: Callable[[], Any], seconds: float = 120) -> Any:
    """What `condition` returns, once that is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.1)
    raise AssertionError(f"not within {seconds} s")


def gone(pid: int) -> bool:
    """Whether a process has ended, be it that nobody has asked yet how."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
