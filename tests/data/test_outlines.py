"""What is said of a data set before it is made is what its store then holds."""

from __future__ import annotations

import made_sources as made
import pytest

from fedatlas.data import catalogue, standins

MIXTURE = {"variant": "paper", "clients": 20}
GENERATED = [
    ("lasso", {"variant": "IV"}),
    ("low_rank", {"variant": "III"}),
    ("quadratic", {}),
    ("chain", {"links": 6}),
    ("anisotropic_regression", {"dimension": 601}),
    ("penalised_logistic", {"variant": "weak", "clients": 7}),
    ("penalised_logistic", {"variant": "strong", "clients": 7}),
    ("points_around", {"dimension": 3, "clients": 4, "examples": 5}),
    ("mixture_of_linear_classifiers", MIXTURE),
    ("mixture_of_linear_classifiers", MIXTURE | {"unseen": 0.2, "components": 2}),
    ("mixture_of_linear_classifiers", MIXTURE | {"variant": "code"}),
    ("digits", {"partition": {"name": "equal", "clients": 5}, "splits": "standard"}),
    ("digits", {"partition": {"name": "equal", "clients": 10}, "splits": "60/20/20", "held_out": 0.2}),
]
DEAL = {"name": "dirichlet", "clients": 10, "alpha": 10.0}
HAXBY = {
    "categories": ["face", "house"], "train_subjects": [1], "test_subjects": [2], "detrend": True, "standardize": True,
    "stand_in": "tiny",
}  # fmt: skip
FETCHED = [
    ("mnist", {"partition": DEAL, "splits": "standard"}),
    ("mnist", {"partition": DEAL, "splits": "standard", "held_out": 0.3}),
    ("mnist", {"partition": DEAL, "splits": "80/20", "fraction": 0.5}),
    ("cifar10", {"partition": DEAL, "splits": "none"}),
    ("cifar100", {"partition": DEAL, "splits": "standard"}),
    ("femnist", {"classes": 62, "clients": "all", "chosen": "first", "splits": "standard"}),
    ("femnist", {"classes": 10, "clients": 5, "chosen": "first", "splits": "60/20/20", "held_out": 0.4}),
    ("haxby", HAXBY),
]


def outline_and_store(tmp_path, name, options):
    store = catalogue.build(name, options, 0, tmp_path / "raw", tmp_path / "store")
    outline = catalogue.choose(name, options).outline
    assert sorted(outline.splits) == sorted(store.splits)
    assert outline.classes == store.num_classes
    assert {key: tuple(shape) for key, shape in outline.truth.items()} == {k: a.shape for k, a in store.truth.items()}
    assert outline.examples is None or store.sizes("train").max() <= outline.examples
    return outline, store


@pytest.mark.parametrize(("name", "options"), GENERATED)
def test_of_generated_data(tmp_path, name, options):
    outline, store = outline_and_store(tmp_path, name, options)
    assert outline.clients == len(store.ids("train"))


@pytest.mark.parametrize(("name", "options"), FETCHED)
def test_of_fetched_data(tmp_path, name, options):
    """The files here are smaller than the real ones, which have the most that there can be."""
    for make in (made.mnist, made.cifar10, made.cifar100, made.femnist):
        make(tmp_path / "raw")
    if "stand_in" in options:
        standins.write("haxby", tmp_path / "raw" / "haxby-stand-in-tiny", size="tiny")
    outline, store = outline_and_store(tmp_path, name, options)
    dealt = options.get("clients") != "all"
    assert len(store.ids("train")) == outline.clients if dealt else len(store.ids("train")) <= outline.clients


def test_every_data_set_of_the_atlas_has_one():
    assert all(cls.outline is not catalogue.datasets["lasso"].__mro__[1].outline for cls in catalogue.datasets.values())
