"""The real files against what is known of them; needs FEDATLAS_MIRROR, and skips what the mirror does not hold."""

import os

import numpy as np
import pytest

from fedatlas.data import catalogue
from fedatlas.data.download import Downloader
from fedatlas.data.fetch import fetch
from fedatlas.data.sources import load_sources
from fedatlas.errors import AtlasError

pytestmark = pytest.mark.skipif(not os.environ.get("FEDATLAS_MIRROR"), reason="FEDATLAS_MIRROR names no mirror")
EQUAL = {"partition": {"name": "equal", "clients": 8}, "splits": "standard"}


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    return tmp_path_factory.mktemp("raw")


def _store(raw, tmp_path, name, **options):
    for source in catalogue.needs_raw(name, options):
        try:
            fetch(source, load_sources()[source], raw, os.environ["FEDATLAS_MIRROR"], Downloader(attempts=1, connect=3))
        except AtlasError as error:
            pytest.skip(str(error))
    return catalogue.build(name, options, 0, raw, tmp_path / "store")


def _labels(store, split):
    return np.concatenate([store.read(split, client)["y"] for client in range(len(store.ids(split)))])


def test_mnist_has_its_classes(raw, tmp_path):
    store = _store(raw, tmp_path, "mnist", **EQUAL)
    assert np.bincount(_labels(store, "train")).tolist() == [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
    assert np.bincount(_labels(store, "test")).tolist() == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]


def test_mnist_has_its_writers(raw, tmp_path):
    store = _store(raw, tmp_path, "mnist_writers", partition={"name": "by_group"}, splits="standard")
    assert (len(store.ids("train")), len(store.ids("test"))) == (539, 297)
    assert not set(store.ids("train")) & set(store.ids("test"))
    assert (store.sizes("train").min(), store.sizes("train").max()) == (19, 131)


def test_cifar_10_has_its_colours(raw, tmp_path):
    store = _store(raw, tmp_path, "cifar10", **EQUAL)
    pixels = np.concatenate([store.read("train", client)["x"].reshape(-1, 3) for client in range(8)])
    assert np.allclose(pixels.mean(0, dtype=np.float64) / 255, [0.4914, 0.4822, 0.4465], atol=5e-5)
    assert np.bincount(_labels(store, "train")).tolist() == [5000] * 10


def test_adult_has_its_positives(raw, tmp_path):
    store = _store(raw, tmp_path, "a9a", **EQUAL)
    assert (_labels(store, "train").sum(), _labels(store, "test").sum()) == (7841, 3846)
    assert sum(int(store.read("train", client)["x"].sum()) for client in range(8)) == 451592


def test_faces_and_houses_can_be_told_apart_in_new_sessions(raw, tmp_path):
    from sklearn.linear_model import LogisticRegression

    options = {"categories": ["face", "house"], "detrend": True, "standardize": True, "test_sessions": 4}
    store = _store(raw, tmp_path, "haxby_subject1", **options)
    assert (len(store.ids("train")), len(store.ids("test")), store.features["x"].shape) == (8, 4, (530,))
    assert set(store.sizes("train")) == {18}
    train = np.concatenate([store.read("train", session)["x"] for session in range(8)])
    test = np.concatenate([store.read("test", session)["x"] for session in range(4)])
    model = LogisticRegression(C=0.001, max_iter=1000).fit(train, _labels(store, "train"))
    assert model.score(test, _labels(store, "test")) > 0.85
