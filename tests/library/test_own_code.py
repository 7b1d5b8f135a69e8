"""What an algorithm of a user's own is made from, however it is split into files, functions and constants."""

from __future__ import annotations

import importlib
import sys

import numpy as np
import pytest

from fedatlas.algorithms.fedadam import FedAdam
from fedatlas.algorithms.fedavg import FedAvg
from fedatlas.library.own_code import source_of

SCRIPT = """
from fedatlas.algorithms.fedavg import FedAvg
from dataclasses import dataclass

FACTOR = {factor}
KNOWN = {{"one", "two", "three", "four"}}
WEIGHTS = [1, 2, {weight}]
UNUSED = {unused}

def scaled(g):
    return sum(FACTOR * w * g for w in WEIGHTS) + {within} * len(KNOWN)

@dataclass(frozen=True)
class Mine(FedAvg):
    kept = {kept}

    def step(self, w, k, message, client, f):
        return w - (lambda g: scaled(g))(f.gradient(w))
"""


def made(factor=1.0, weight=3, unused=0, within=0.5, kept=1, **more):
    names = {"__name__": "__main__"} | more
    text = SCRIPT.format(factor=factor, weight=weight, unused=unused, within=within, kept=kept)
    exec(compile(text, "typed", "exec"), names)
    return names["Mine"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Writes modules of a user's own and imports one anew."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)

    def write(**texts):
        for name, text in texts.items():
            (tmp_path / f"{name}.py").write_text(text)
        for name in set(sys.modules) - before:
            del sys.modules[name]
        importlib.invalidate_caches()
        return importlib.import_module("own_of_mine").Mine

    return write


def test_of_a_script_what_the_class_reaches_counts_and_nothing_else():
    text = source_of(made())
    assert text == source_of(made()) == source_of(made(unused=1))
    assert text not in (source_of(made(factor=0.0)), source_of(made(weight=4)))
    assert text not in (source_of(made(within=0.25)), source_of(made(kept=2)))
    assert "['four', 'one', 'three', 'two']" in text.replace('"', "")  # in whatever order this process has them
    assert " at 0x" not in text


def test_of_files_those_that_are_imported_count(files):
    own = "import helpers_of_mine\nfrom fedatlas.algorithms.fedavg import FedAvg\n\n\n"
    own += "class Mine(FedAvg):\n    def step(self, *rest):\n        return helpers_of_mine.direction(rest)\n"
    text = source_of(files(own_of_mine=own, helpers_of_mine="def direction(g):\n    return g\n"))
    assert "return g\n" in text and own in text
    assert "return 2 * g" in source_of(files(helpers_of_mine="def direction(g):\n    return 2 * g\n"))


def test_arrays_count_by_all_their_numbers():
    weights = np.zeros(5000)
    text = source_of(made(sum=lambda of: weights))
    weights[2500] = 1
    assert source_of(made(sum=lambda of: weights)) != text


CALLABLE = """
import functools
from fedatlas.algorithms.fedavg import FedAvg

def scaled(by, g):
    return {factor} * by * g

class Scaling:
    def __init__(self, by):
        self.by = by

    def __call__(self, g):
        return scaled(self.by, g)

helper = {helper}

class Mine(FedAvg):
    @functools.cached_property
    def largest(self):
        return scaled({most}, 1)

    def step(self, w, k, message, client, f):
        return w - helper(f.gradient(w))
"""


@pytest.mark.parametrize(
    "helper",
    [
        "functools.partial(scaled, {by})", "functools.lru_cache(lambda g: scaled({by}, g))", "Scaling({by})",
        "Scaling({by}).__call__", "[functools.partial(scaled, {by})]", "tf.function(lambda g: scaled({by}, g))",
    ],
)  # fmt: skip
def test_callable_objects_count_with_what_they_call(helper):
    names = {"tf": pytest.importorskip("tensorflow")} if "tf." in helper else {}

    def text(factor=1, by=2, most=3):
        own = {"__name__": "__main__"} | names
        exec(CALLABLE.format(factor=factor, helper=helper.format(by=by), most=most), own)
        return source_of(own["Mine"])

    assert text() == text() and " at 0x" not in text()
    assert len({text(), text(factor=5), text(by=5), text(most=5)}) == 4


def test_a_method_that_a_class_is_given_later_counts():
    texts = [source_of(made())]
    for given in (FedAvg.step, FedAdam.update_server, made(factor=7).step):
        own = made()
        own.update_server = given
        texts.append(source_of(own))
    assert len(set(texts)) == 4


def test_the_atlas_itself_and_what_is_installed_do_not_count():
    assert source_of(FedAvg) == ""
