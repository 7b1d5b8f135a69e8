"""How the rounds of these tests are computed, and a data set of several of them."""

from __future__ import annotations

import pytest
from algorithms.quadratics import write_four
from eager import eagerly

from fedatlas.federated import engines


@pytest.fixture(autouse=True)
def engine(request):
    """The in-process engine for what is marked `engine`; else no graphs are made, for a round by hand needs none."""
    if request.node.get_closest_marker("engine"):
        engines.install("inprocess", 1)
        yield
    else:
        with eagerly():
            yield


@pytest.fixture(scope="session")
def four(tmp_path_factory):
    return write_four(tmp_path_factory.mktemp("stores") / "four")
