"""Fixtures of the tests of data."""

import pytest

from fedatlas.data import catalogue


@pytest.fixture
def no_proxy(monkeypatch):
    """Nothing between a test and its own server, and no mirror that the machine has been told of."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "FEDATLAS_MIRROR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Builds a store once per choice of options."""
    folder, stores = tmp_path_factory.mktemp("stores"), {}

    def make(name, seed=0, **options):
        key = catalogue.dataset_id(name, options, seed)
        if key not in stores:
            stores[key] = catalogue.build(name, options, seed, folder / "raw", folder / key)
        return stores[key]

    return make
