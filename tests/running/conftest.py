"""A store of six features and a finished run on it."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def store(tmp_path_factory):
    from simulating import write_regression  # imports TensorFlow, which one of the two environments lacks

    return write_regression(tmp_path_factory.mktemp("stores") / "store", [9, 5, 12, 7, 8, 10]).path


@pytest.fixture(scope="session")
def finished(store, tmp_path_factory):
    from small_runs import small

    from fedatlas.running.runner import train

    return train(small(), store, tmp_path_factory.mktemp("runs"))
