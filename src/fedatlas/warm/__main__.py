"""`python -m fedatlas.warm PRELOAD ARGUMENT ...`: `python ARGUMENT ...` in a process that has run the file PRELOAD."""

from __future__ import annotations

import sys

from fedatlas.lifeline import follow_parent, terminate_self
from fedatlas.warm.client import run

if __name__ == "__main__":
    follow_parent(terminate_self)
    sys.exit(run(sys.argv[2:], sys.argv[1]))
