"""Stand-ins are read by the loaders of the real data, carry their mark into the store, and can be learned from."""

import nibabel
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier

from fedatlas.data import catalogue, standins
from fedatlas.data.datasets.base import STOOD_IN
from fedatlas.data.formats.cifar import COARSE
from fedatlas.data.raw import Raw
from fedatlas.errors import AtlasError

EQUAL = {"name": "equal", "clients": 5}
HAXBY = {
    "categories": ["face", "house"],
    "train_subjects": [1, 2, 3, 4, 5],
    "test_subjects": [6],
    "detrend": True,
    "standardize": True,
}
SHAKESPEARE = {"window": 20, "target": "next", "stride": 5, "alphabet": "plays", "clients": "all", "splits": "80/20"}
MADE = {
    "haxby": HAXBY,
    "femnist": {"classes": 62, "clients": "all", "chosen": "first", "splits": "standard"},
    "mnist": {"partition": EQUAL, "splits": "standard"},
    "cifar10": {"partition": {"name": "dirichlet", "clients": 5, "alpha": 0.5}, "splits": "standard"},
    "cifar100": {
        "partition": {"name": "pachinko", "clients": 5, "alpha": 0.4, "beta": 10},
        "splits": "60/20/20",
    },
    "shakespeare": SHAKESPEARE,
}


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    """All stand-ins, tiny."""
    folder = tmp_path_factory.mktemp("raw")
    for source in standins.STANDINS:
        standins.write(source, folder / f"{source}-stand-in", size="tiny")
    return folder


@pytest.fixture(scope="module")
def stores(raw, tmp_path_factory):
    """A store of each stand-in, made by the real data set's loader."""
    folder = tmp_path_factory.mktemp("stores")
    return {
        name: catalogue.build(name, options | {"stand_in": True}, 0, raw, folder / name)
        for name, options in MADE.items()
    }


def pooled(store, split):
    arrays = [store.read(split, client) for client in range(len(store.ids(split)))]
    return (np.concatenate([a[key] for a in arrays]) for key in "xy")


def test_every_stand_in_is_loaded_here():
    assert set(MADE) == set(standins.STANDINS)


@pytest.mark.parametrize("name", MADE)
def test_the_mark_reaches_the_manifest(stores, name):
    store = stores[name]
    assert store.kind == "stand-in"
    assert "made up" in store.manifest["source"]["citation"]
    assert store.sizes("train").min() > 0
    store.verify()


@pytest.mark.parametrize("name", ["haxby", "cifar10", "shakespeare", "mnist"])
def test_the_seed_decides(name, tmp_path):
    one, again, other = (
        standins.write(name, tmp_path / f"{number}", seed=seed, size="tiny") for number, seed in enumerate((1, 1, 2))
    )

    def hashes(made):
        return {file: entry["sha256"] for file, entry in made.receipt["files"].items()}

    assert hashes(one) == hashes(again)
    assert hashes(one) != hashes(other)


def test_a_source_without_stand_in_is_one_sentence(tmp_path):
    with pytest.raises(AtlasError, match="'a9a' has no stand-in; these have one: haxby"):
        standins.write("a9a-stand-in", tmp_path / "a9a")


def test_options_know_what_has_a_stand_in():
    assert {*standins.STANDINS} == STOOD_IN


@pytest.mark.parametrize("name", ["digits", "emnist", "mnist_writers"])
def test_where_nothing_stands_in_it_is_told_with_the_options(name):
    law = {"name": "by_group"} if name == "mnist_writers" else {"name": "equal", "clients": 2}
    with pytest.raises(AtlasError, match=f"{name}.*: 'stand_in' is given, but nothing stands in for this data"):
        catalogue.needs_raw(name, {"partition": law, "splits": "none", "stand_in": True})


def test_a_name_may_say_the_size(tmp_path):
    raw = standins.write("cifar10-stand-in-tiny", tmp_path / "cifar10-stand-in-tiny", size="full")
    assert raw.name == "cifar10-stand-in-tiny"
    assert raw.receipt["note"].endswith("tiny size.")
    store = catalogue.build("cifar10", MADE["cifar10"] | {"stand_in": "tiny"}, 0, tmp_path, tmp_path / "store")
    assert store.kind == "stand-in"
    with pytest.raises(AtlasError, match="stand-in of 'cifar10' has no size 'huge'; there are: tiny, quick, full"):
        standins.write("cifar10-stand-in-huge", tmp_path / "huge")


def test_haxby_has_the_sessions_of_the_real_data(stores):
    store = stores["haxby"]
    assert (len(store.ids("train")), len(store.ids("test"))) == (59, 12)
    assert set(store.sizes("train")) == {18}
    assert "subject5-session8" not in store.ids("train")


def test_haxby_full_size_has_the_real_mask():
    from fedatlas.data.standins.brains import SIZES, _brain

    mask = _brain(SIZES["full"]["shape"])
    assert mask.shape == (40, 64, 64)
    assert mask.sum() == 39912


def test_haxby_weights_find_the_planted_pattern(stores, raw):
    x, y = pooled(stores["haxby"], "train")
    test_x, test_y = pooled(stores["haxby"], "test")
    model = LogisticRegression(l1_ratio=1, C=0.05, solver="liblinear").fit(x, y)
    assert model.score(test_x, test_y) > 0.7
    folder = Raw.open(raw, "haxby-stand-in")
    mask = nibabel.load(folder.path("mask.nii.gz")).get_fdata() > 0
    planted = nibabel.load(folder.path("planted.nii.gz")).get_fdata()[mask]
    # y = 1 is house, so weights point against face - house
    assert np.corrcoef(model.coef_[0], planted)[0, 1] < -0.6
    assert (planted != 0).mean() < 0.1


def test_femnist_has_capitals_digits_and_small_letters(stores):
    _, y = pooled(stores["femnist"], "train")
    assert 0.35 < (y < 10).mean() < 0.75
    assert y.max() > 50
    assert len(np.unique(y)) > 40
    x, _ = pooled(stores["femnist"], "test")
    assert np.median(x) == 0
    assert x.max() > 130


def test_digits_only_are_the_digits_of_all(raw, tmp_path):
    options = MADE["femnist"] | {"classes": 10, "stand_in": True}
    digits = catalogue.build("femnist", options, 0, raw, tmp_path / "digits")
    every = catalogue.build("femnist", options | {"classes": 62}, 0, raw, tmp_path / "all")
    for client in range(3):
        all_, some = every.read("train", client), digits.read("train", client)
        assert np.array_equal(all_["x"][all_["y"] < 10], some["x"])


def test_cifar_classes_can_be_told_apart(stores):
    x, y = pooled(stores["cifar10"], "train")
    test_x, test_y = pooled(stores["cifar10"], "test")
    assert x.shape[1:] == (32, 32, 3)
    model = RidgeClassifier(alpha=300).fit(x.reshape(len(x), -1) / 255, y)
    assert model.score(test_x.reshape(len(test_x), -1) / 255, test_y) > 0.25  # chance is 0.1


def test_cifar100_clients_see_few_coarse_labels(stores):
    store = stores["cifar100"]
    most = [np.bincount(COARSE[store.read("train", i)["y"]], minlength=20).max() for i in range(5)]
    assert np.mean(most / store.sizes("train")) > 2 / 20


def test_shakespeare_roles_speak_plainly(stores):
    store = stores["shakespeare"]
    assert len(store.ids("train")) == 8
    assert all(role.startswith("THE_") for role in store.ids("train"))
