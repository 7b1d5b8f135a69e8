"""Every test runs in one of the two environments.

A file that says `importorskip("tensorflow")` belongs to the TFF environment, every other to the workflow environment.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

HAS_TENSORFLOW = find_spec("tensorflow") is not None


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leaves the files of the other environment out."""
    if collection_path.suffix != ".py" or not collection_path.name.startswith("test_"):
        return None
    needs_tensorflow = 'importorskip("tensorflow")' in collection_path.read_text(encoding="utf-8")
    return True if needs_tensorflow != HAS_TENSORFLOW else None
