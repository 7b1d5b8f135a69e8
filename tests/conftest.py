"""Every test of a room runs in one of the two environments.

A file that says `importorskip("tensorflow")` belongs to the TFF environment, every other to the workflow environment.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest_plugins = ("pytester", "turns")
HERE = Path(__file__).parent
HAS_TENSORFLOW = find_spec("tensorflow") is not None


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("fedatlas")
    group.addoption("--rewrite-golden", action="store_true", help="write the texts of the pages anew")


def pytest_sessionstart() -> None:
    """Installs the in-process engine: TFF's own default starts a worker, for whose end one may wait for ever."""
    if HAS_TENSORFLOW:
        from fedatlas.federated import engines

        engines.install("inprocess", 2)  # one test has two clients wait for each other, on one core too


def pytest_collection_finish() -> None:
    """Lets Python look for garbage among what is new: to walk through all imports each time is a tenth of the work."""
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, 50)


@pytest.fixture(autouse=True, scope="session")
def cache(tmp_path_factory) -> Iterator[Path]:
    """A cache of the session, so that what a test has run another reads, and none is a user's."""
    folder = tmp_path_factory.getbasetemp() / "fedatlas-cache"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FEDATLAS_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="session")
def all_published() -> None:
    """Has read what is published of every paper, see `published_results`."""
    from published_results import published

    published()


def belongs_here(path: Path) -> bool:
    """Whether a test file belongs to the environment that pytest runs in; those of no room belong to both."""
    return path.parent == HERE or ('importorskip("tensorflow")' in path.read_text(encoding="utf-8")) == HAS_TENSORFLOW


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leaves out the files of the other environment, and folders (with their conftest) that hold no others."""
    if collection_path.is_dir():
        here = any(belongs_here(path) for path in collection_path.rglob("test_*.py"))
    elif collection_path.suffix == ".py" and collection_path.name.startswith("test_"):
        here = belongs_here(collection_path)
    else:
        return None
    return None if here else True
