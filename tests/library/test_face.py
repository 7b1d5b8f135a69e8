"""What `import fedatlas as fa` offers: light, complete, with a meaning and a grid for everything."""

from __future__ import annotations

import importlib
import math
import pydoc
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import fedatlas as fa
from fedatlas.about.meanings import MEANINGS, OWN_GRIDS, OWN_MEANINGS, USUAL, default_grid, meaning
from fedatlas.algorithms import algorithms as registered
from fedatlas.algorithms.base import Array, positive
from fedatlas.errors import AtlasError
from fedatlas.experiments.fitting import _MEETS as MEETS
from fedatlas.library.input_shapes import KINDS
from fedatlas.library.problems import SHORT, TASKS
from fedatlas.library.problems import USUAL as USUAL_OPTIONS
from fedatlas.problems import problems
from fedatlas.prox import penalties


def test_the_import_takes_nothing_heavy():
    code = (
        "import fedatlas, sys; print([m for m in ('numpy', 'pandas', 'tensorflow', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_names_stay_when_the_packages_behind_them_are_imported():
    import fedatlas.prox.l1 as module  # noqa: F401

    assert fa.algorithms.fedavg.name == "FedAvg"
    assert repr(fa.prox.l1(0.01)) == "l1(strength=0.01)"
    assert repr(fa.problems.softmax()) == "multinomial_logistic(penalty=zero())"
    assert importlib.import_module("fedatlas.algorithms").algorithms is registered


def test_type_checkers_see_what_is_offered():
    """py.typed promises types: the stub names each thing and the module that has it."""
    stub = Path(fa.__file__).with_suffix(".pyi").read_text()
    found = {name: module for module, name in re.findall(r"^from ([\w.]+) import (\w+) as \2$", stub, re.MULTILINE)}
    assert found == {**fa._FACE, **fa._LISTS}
    assert (Path(fa.__file__).parent / "py.typed").is_file()


def test_an_unknown_name_lists_what_there_is():
    with pytest.raises(AttributeError, match="fedatlas has no 'compere'; it has: .*compare"):
        _ = fa.compere
    with pytest.raises(AttributeError, match="no algorithm 'fednoova'; did you mean fednova"):
        _ = fa.algorithms.fednoova
    with pytest.raises(AttributeError, match="no penalty 'l3'; there are: .*l1"):
        _ = fa.prox.l3


@pytest.mark.parametrize("name", registered)
def test_every_algorithm_is_described(name):
    entry = fa.algorithms[name]
    page = pydoc.plain(pydoc.render_doc(entry))
    assert entry.paper in page and "Equations" in page and entry.summary.endswith(".")
    assert ("def step" in entry.code) or entry.abilities.exact
    assert list(entry.hyperparameters.index) == list(registered[name].hyperparameters())
    assert f"<h3>{entry.name}" in entry._repr_html_().replace("&#x27;", "'")


@pytest.mark.parametrize("name", registered)
def test_every_hyperparameter_has_a_meaning_and_a_grid_within_its_bounds(name):
    grid = default_grid(name)
    assert math.prod(map(len, grid.values())) <= 12
    for hyperparameter, bounds in registered[name].hyperparameters().items():
        assert len(meaning(name, hyperparameter)) > 10 and "documentation" not in meaning(name, hyperparameter)
        assert all(MEETS[kind](value, limit) for kind, limit in bounds.items() for value in grid[hyperparameter])


def test_nothing_is_said_of_what_there_is_not():
    known = {(name, own) for name, cls in registered.items() for own in cls.hyperparameters()}
    assert set(OWN_MEANINGS) <= known
    assert {(name, own) for name, grid in OWN_GRIDS.items() for own in grid} <= known
    assert {own for _, own in known} == set(MEANINGS) | {own for _, own in OWN_MEANINGS}
    assert set(USUAL) <= set(MEANINGS)


def test_every_problem_says_what_it_learns_from():
    assert set(TASKS) == set(problems)
    assert {*KINDS, *SHORT.values(), *USUAL_OPTIONS} <= {*TASKS}
    assert set(dir(fa.problems)) == {*problems, *SHORT} and set(dir(fa.prox)) == set(penalties)


def test_options_are_checked_when_a_problem_is_chosen():
    with pytest.raises(AtlasError, match="unknown key 'prox.l1.strenght'.*strength"):
        fa.prox.l1(strenght=1)
    with pytest.raises(AtlasError, match="the key 'problems.mlp.hidden' is missing"):
        fa.problems.mlp()
    with pytest.raises(AtlasError, match="'penalty' is 0.01, but must be one of fa.prox"):
        fa.problems.softmax(penalty=0.01)


def test_an_algorithm_of_ones_own_is_registered_with_what_it_is_given():
    @dataclass(frozen=True)
    class Halved(registered["fedavg"]):
        """FedAvg with a hyper-parameter of its own."""

        name, citation = "Halved", "here"
        longest: Array = positive()

    try:
        entry = fa.algorithms.register(Halved)
        assert entry.parameters[-1].name == "longest" and entry.parameters[-1].usual == "none, so give one"
        with pytest.raises(AtlasError, match="there is no usual grid of 'longest' of halved"):
            default_grid("halved")
        assert list(default_grid("halved", ["client_lr"])) == ["client_lr"]
        with pytest.raises(AtlasError, match="'x' is 'x', but must be a subclass of Algorithm"):
            fa.algorithms.register("x")
    finally:
        del registered._added["halved"]


def test_the_table_lists_all_and_says_what_each_can_do():
    table = fa.algorithms.table
    assert list(table.index) == list(registered) == list(fa.algorithms)
    assert table["uses the penalty"]["feddualavg"] and not table["uses the penalty"]["fedavg"]
    assert not table["local momentum"]["fednova"]
    assert "all clients" in table["needs"]["fedpd"] and "state" in table["needs"]["scaffold"]
    assert "FedAvg" in repr(fa.algorithms)
