"""What `fa.compare` cannot do is told in one sentence before any round."""

from __future__ import annotations

import numpy as np
import pytest
from given_clients import points

import fedatlas as fa
from fedatlas.errors import AtlasError

WRONG = {
    "rounds as a word": ({"rounds": "ten"}, "'rounds' is 'ten', but must be a whole number"),
    "no rounds": ({"rounds": 0}, "'rounds' is 0, but must be above 0"),
    "no cohort": ({"cohort": 0}, "'cohort': 0 is neither a number above 0 nor 'all'"),
    "a batch of half": ({"batch_size": 0.5}, "'batch_size': 0.5 is neither a number above 0 nor 'full'"),
    "never": ({"every": 0}, "'every' is 0, but must be above 0"),
    "one seed": ({"seeds": 0}, "'seeds': 0 is no list of seeds"),
    "a seed twice": ({"seeds": [1, 1]}, "'seeds'.* 1 "),
    "a seed below zero": ({"seeds": [-1]}, "'seeds.0' is -1, but must be at least 0"),
    "no seeds": ({"seeds": []}, "'seeds' is .*at least 1 entry"),
    "weights": (
        {"weighting": "size"},
        "'weighting' is 'size', but must be one of 'examples', 'uniform'",
    ),
    "half precision": ({"precision": "half"}, "'precision' is 'half', but must be one of 'float32', 'float64'"),
    "a metric alone": ({"select": "accuracy"}, "'select': 'accuracy' is no rule such as"),
    "a grid of words": ({"grid": {"client_lr": ["big"]}}, r"grid of 'client_lr' is \['big'\], but must hold numbers"),
    "a grid of truths": ({"grid": {"client_lr": [True]}}, r"grid of 'client_lr' is \[True\], but must hold numbers"),
    "rounds in quotes": ({"rounds": "2"}, "'rounds' is '2', but must be a whole number"),
    "a grid in a word": ({"grid": {"client_lr": "12"}}, "grid of 'client_lr' is '12', but must hold numbers"),
    "a grid without names": ({"grid": [0.1]}, r"'grid' is \[0.1\], but must be a mapping such as"),
    "a rate misspelt": ({"grid": {"client_rate": [1]}}, "'client_rate' .did you mean 'client_lr'"),
    "a rate below zero": ({"grid": {"client_lr": [-1]}}, "holds -1, but client_lr of fedavg must be above 0"),
}


@pytest.mark.parametrize("what", WRONG)
def test_it_is_told_before_any_round(what, tmp_path):
    given, said = WRONG[what]
    with pytest.raises(AtlasError, match=said):
        fa.compare("fedavg", fa.problems.softmax(), fa.clients(points(0), classes=3), cache=tmp_path, **given)
    assert not [*tmp_path.iterdir()]


def test_algorithms_that_are_none():
    clients = fa.clients(points(0), classes=3)
    with pytest.raises(AtlasError, match="'algorithms' is 3, but must name algorithms"):
        fa.compare(3, fa.problems.softmax(), clients)
    with pytest.raises(AtlasError, match=r"'algorithms' holds \['fedavg'\], but must hold names, such as 'fedavg'"):
        fa.compare([["fedavg"]], fa.problems.softmax(), clients)
    with pytest.raises(AtlasError, match=r"the grid of fedavg is \[0.1\], but must be a mapping such as"):
        fa.compare({"fedavg": [0.1]}, fa.problems.softmax(), clients)
    with pytest.raises(AtlasError, match="unknown algorithm 'fednoova'.*did you mean 'fednova'"):
        fa.compare("fednoova", fa.problems.softmax(), clients)


def test_a_penalty_with_too_many_values():
    with pytest.raises(AtlasError, match=r"prox.l1 has 2 values, but takes 1 \(strength\)"):
        fa.prox.l1(0.1, 0.2)


def test_numbers_of_numpy_and_ranges_will_do():
    from fedatlas.config import validate
    from fedatlas.library.arguments import Arguments

    assert validate({"seeds": np.arange(2)}, Arguments, "x").seeds == (0, 1)
    own = validate({"cohort": np.int64(3), "seeds": range(2), "select": ["test", "loss", "lowest"]}, Arguments, "x")
    assert (own.cohort, own.seeds, own.select) == (3, (0, 1), ("test", "loss", "lowest"))
