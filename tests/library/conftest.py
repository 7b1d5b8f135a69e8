"""Clients for the tests of the library."""

from __future__ import annotations

import pytest
from given_clients import points

import fedatlas as fa


@pytest.fixture(scope="session")
def clients() -> fa.clients:
    return fa.clients(points(0), test=points(1), classes=3)
