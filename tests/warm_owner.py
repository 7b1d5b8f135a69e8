"""A process that owns warm processes, for tests whose own process is none of them."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator

CODE = """
import os, sys
from fedatlas.warm.client import own
own()
print(os.environ["FEDATLAS_WARM"], flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def warm_owner() -> Iterator[dict[str, str]]:
    """The variables of those who ask for warm processes in here; the processes end with it."""
    command = [sys.executable, "-c", CODE]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as owner:
        yield {"FEDATLAS_WARM": owner.stdout.readline().strip(), "FEDATLAS_WARM_OWNER": str(owner.pid)}
        owner.communicate(timeout=120)
