"""The engine of these tests, and a data set of several of them."""

from __future__ import annotations

import pytest
from algorithms.quadratics import write_four

from fedatlas.federated import engines


@pytest.fixture(autouse=True)
def in_process():
    """That TFF's own runtime computes the same is a test of every algorithm."""
    engines.install("inprocess", 1)


@pytest.fixture(scope="session")
def four(tmp_path_factory):
    return write_four(tmp_path_factory.mktemp("stores") / "four")
