"""Folders as registries."""

from __future__ import annotations

import re
import sys
from types import SimpleNamespace

import pytest

from fedatlas.errors import AtlasError
from fedatlas.registry import Registry

BASE = "class Thing:\n    pass\n"
ONE = "from {0}.base import Thing\n\n\nclass One(Thing):\n    pass\n"


@pytest.fixture
def folder(tmp_path, monkeypatch, request):
    """Writes modules of a package that no other test has, and makes its registry."""
    package = f"things{abs(hash(request.node.name))}"

    def write(**modules):
        room = tmp_path / package
        room.mkdir()
        for name, text in {"__init__": "", "base": BASE, **modules}.items():
            (room / f"{name}.py").write_text(text.replace("{0}", package))
        monkeypatch.syspath_prepend(tmp_path)
        base = __import__(f"{package}.base").base
        return SimpleNamespace(registry=Registry(package, base.Thing, "thing"), room=room)

    yield write
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        del sys.modules[name]


def test_a_file_registers_its_class_by_its_name(folder):
    registry = folder(first=ONE, second=ONE).registry
    assert list(registry) == ["first", "second"]
    assert registry["first"].__name__ == "One"


def test_helpers_and_the_contract_register_nothing(folder):
    assert list(folder(first=ONE, _helper="def help(): ...\n").registry) == ["first"]


def test_a_file_without_a_class_is_named(folder):
    found = folder(first="")
    with pytest.raises(AtlasError, match="first.py must define one thing .*, but defines 0"):
        list(found.registry)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("from {0}.base import Thing\nclass One(Thing:\n", "first.py, line 2: invalid syntax."),
        ("from {0}.base import Thing\n\n\nclass One(Ting):\n    pass\n", "first.py, line 4: NameError: name 'Ting'"),
        ("import no_such_package\n", "first.py, line 1: ModuleNotFoundError: No module named 'no_such_package'."),
    ],
)
def test_a_file_that_cannot_be_imported_is_named_with_the_line(folder, text, said):
    found = folder(first=text)
    with pytest.raises(AtlasError, match=re.escape(said)):
        list(found.registry)


def test_an_unknown_name_lists_the_known_ones(folder):
    with pytest.raises(AtlasError, match="unknown thing 'third'; there are: first, second"):
        folder(first=ONE, second=ONE).registry["third"]


def test_a_similar_name_is_proposed(folder):
    with pytest.raises(AtlasError, match=r"unknown thing 'frist'; did you mean 'first'\?"):
        folder(first=ONE, second=ONE).registry["frist"]


def test_a_class_of_a_program_is_found_but_not_listed(folder):
    registry = folder(first=ONE).registry
    mine = type("Mine", (registry["first"].__mro__[1],), {})
    registry.register("mine", mine)
    assert registry["mine"] is mine and "mine" in registry
    assert list(registry) == ["first"]
    registry.register("mine", type("Mine", (mine,), {}))  # a notebook's cell that is run again
    assert registry["mine"] is not mine


@pytest.mark.parametrize(
    ("name", "cls", "words"),
    [("first", "base", "has the thing 'first' itself"), ("mine", int, "must be a subclass of Thing")],
)
def test_what_cannot_be_registered_is_told(folder, name, cls, words):
    registry = folder(first=ONE).registry
    with pytest.raises(AtlasError, match=words):
        registry.register(name, registry["first"].__mro__[1] if cls == "base" else cls)
