"""What an algorithm's class is made of."""

from __future__ import annotations

from types import FunctionType

import pytest

tf = pytest.importorskip("tensorflow")

from fedatlas.algorithms import Algorithm, Composite, registry

ROLES = {"init_server", "init_client", "broadcast", "start", "step", "finish", "update_server", "model"}


def test_a_newcomer_meets_seven_roles():
    """`init` is that of the server and that of the clients."""
    public = {name for name, member in vars(Algorithm).items() if isinstance(member, FunctionType) and name[0] != "_"}
    assert public == ROLES


@pytest.mark.parametrize("name", registry())
def test_no_class_takes_a_method_from_one_that_it_does_not_inherit(name):
    for cls in registry()[name].__mro__[:-1]:
        methods = {name: member for name, member in vars(cls).items() if isinstance(member, FunctionType)}
        taken = [name for name, method in methods.items() if not method.__qualname__.startswith((cls.__name__, "__"))]
        assert not taken, f"{cls.__name__} has {taken} of another class: call a function instead"


def test_only_composite_algorithms_know_the_penalty():
    knowing = {name for name, cls in registry().items() if "penalty" in cls.__dataclass_fields__}
    assert knowing == {name for name, cls in registry().items() if issubclass(cls, Composite)}
    assert {"fedmid", "feddualavg", "feddr"} < knowing
    assert "fedavg" not in knowing


def test_what_the_engine_gives_is_no_hyperparameter():
    for cls in registry().values():
        assert not {"penalty", "population"} & set(cls.hyperparameters())
