"""The options of networks in an experiment file; checked without TensorFlow."""

from __future__ import annotations

import pytest

from fedatlas.errors import AtlasError
from fedatlas.experiments.components import check_component
from fedatlas.problems import problems
from fedatlas.problems.base import Data

OPTIONS = {
    "cnn": {"filters": [32, 64], "units": 128, "dropout": [0.25, 0.5]},
    "resnet": {"filters": 64, "stages": [2, 2, 2, 2], "groups": 2},
    "lstm": {"embedding": 256, "units": 256, "layers": 2, "dropout": 0.2},
    "vit": {"patch": 4, "layers": 7, "hidden": 384, "mlp": 384, "heads": 12},
    "leaf_cnn": {"filters": [32, 64], "units": 2048},
    "mobilenet": {"divisor": 1, "groups": 2, "dropout": 0.2},
}
MISTAKES = [
    ("cnn", {"filters": 32}, "'problem.filters' is 32, but must be a list"),
    ("cnn", {"filters": [8, 8, 8]}, r"'problem.filters' is \[8, 8, 8\], but must have 2 entries"),
    ("cnn", {"filters": [8, "many"]}, "'problem.filters' holds 'many', but must be a whole number"),
    ("cnn", {"dropout": [0.25, 1]}, "'problem.dropout' holds 1, but must be below 1"),
    ("cnn", {"units": 0}, "'problem.units' is 0, but must be at least 1"),
    ("resnet", {"stages": []}, r"'problem.stages' is \[\], but must have one or more entries"),
    ("resnet", {"stages": [2, 0]}, "'problem.stages' holds 0, but must be at least 1"),
    ("resnet", {"depth": 18}, r"unknown key 'problem.depth' \(value 18\); allowed here are: filters, stages, groups"),
    ("lstm", {"dropout": -0.1}, "'problem.dropout' is -0.1, but must be at least 0"),
    ("lstm", {"layers": 1.5}, "'problem.layers' is 1.5, but must be a whole number"),
    ("vit", {"heads": True}, "'problem.heads' is True, but must be a whole number"),
    ("mlp", {"hidden": 200}, "'problem.hidden' is 200, but must be a list"),
]


SHAPES = [
    ({"divisor": 3}, "'problem.divisor' is 3, but must be 1, 2, 4 or 8"),
    ({"divisor": 4, "groups": 4}, "'problem.groups' is 4, but must divide 2: with 'problem.divisor' 4 the channels of"),
]


@pytest.mark.parametrize(("mistake", "sentence"), SHAPES)
def test_channels_are_divided_evenly(mistake, sentence):
    with pytest.raises(AtlasError, match=sentence):
        problems["mobilenet"](data=Data((), None, {}), **OPTIONS["mobilenet"] | mistake)


def check(name, options):
    check_component("problem", problems[name], options, skip=("data",))


@pytest.mark.parametrize("name", OPTIONS)
def test_the_paper_s_options_are_accepted_and_none_has_a_default(name):
    check(name, OPTIONS[name])
    for option in OPTIONS[name]:
        with pytest.raises(AtlasError, match=f"the key 'problem.{option}' is missing"):
            check(name, {key: value for key, value in OPTIONS[name].items() if key != option})


@pytest.mark.parametrize(("name", "mistake", "sentence"), MISTAKES)
def test_mistakes_are_named(name, mistake, sentence):
    with pytest.raises(AtlasError, match=sentence):
        check(name, OPTIONS.get(name, {}) | mistake)
