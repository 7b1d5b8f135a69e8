"""Clients and a cache of their own for the tests of the library."""

from __future__ import annotations

import pytest
from given_clients import points

import fedatlas as fa


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    """A cache of the session, so that what a test has run another reads."""
    folder = tmp_path_factory.getbasetemp() / "fedatlas-cache"
    monkeypatch.setenv("FEDATLAS_CACHE", str(folder))
    return folder


@pytest.fixture(scope="session")
def clients() -> fa.clients:
    return fa.clients(points(0), test=points(1), classes=3)
