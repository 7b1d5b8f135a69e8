"""What an execution engine sees of an algorithm, and a few algorithms that have everything that any of them has."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterator
from types import CodeType, FunctionType

import tensorflow as tf
from simulating import EXAMPLES

import fedatlas.algorithms
from fedatlas.algorithms import Algorithm, Composite, MixtureLearner, PlainSteps, RecursiveGradient, registry
from fedatlas.algorithms.base import Population
from fedatlas.federated.objectives import Objective
from fedatlas.problems import Block, OnKernels
from fedatlas.prox import penalties

ROLES = ("broadcast", "start", "finish", "model")  # those that a subclass need not fill
EXPORTED = {cls for cls in vars(fedatlas.algorithms).values() if isinstance(cls, type)}
ONLY_IN_FILES = {PlainSteps, RecursiveGradient}  # what experiment files may not ask of them
TRAITS = {cls for cls in EXPORTED if issubclass(cls, Algorithm)} - ONLY_IN_FILES
D, COMPONENTS = 7, 2


def features(name: str) -> set[Hashable]:
    """The shapes of what its server and its clients keep, its traits, the roles that it fills, and what it asks for."""
    cls = registry()[name]
    own = {trait for trait in TRAITS if issubclass(cls, trait)}
    own |= {role for role in ROLES if getattr(cls, role) is not getattr(Algorithm, role)}
    states = _states(cls)
    asked = {"penalty", *vars(Objective)} & set(_names(cls))
    kept = {(whose, leaf.shape[1:]) for whose, state in states.items() for leaf in tf.nest.flatten(state)}
    numbers = {(whose, min(len(tf.nest.flatten(state)), 2)) for whose, state in states.items()}  # none, one, several
    return {cls.data, cls.participation} | own | asked | kept | numbers


def _names(cls: type[Algorithm]) -> Iterator[str]:
    """The attributes that its methods read, and the functions of the room that these call."""
    members = [member for parent in cls.__mro__ for member in vars(parent).values() if parent is not Algorithm]
    left, seen = [member for member in members if isinstance(member, FunctionType)], set()
    while left:
        function = left.pop()
        seen.add(function)
        names = set(_names_in(function.__code__))
        yield from names
        called = [function.__globals__.get(name) for name in names]
        of_room = [one for one in called if getattr(one, "__module__", "").startswith("fedatlas.algorithms.")]
        left += [one for one in of_room if isinstance(one, FunctionType) and one not in seen]


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


@functools.cache
def representatives() -> list[str]:
    """As few algorithms as one finds by taking, again and again, the one with most of the features that are left."""
    of_each = {name: features(name) for name in sorted(registry())}
    left, chosen = set().union(*of_each.values()), []
    while left:
        chosen.append(max(of_each, key=lambda name: len(of_each[name] & left)))
        left -= of_each[chosen[-1]]
    return sorted(chosen)


def _states(cls: type[Algorithm]) -> dict[str, object]:
    values = {name: tf.constant([[[EXAMPLES.get(name, 0.01)]]], tf.float64) for name in cls.hyperparameters()}
    penalty = OnKernels(penalties["zero"](), [Block("kernel", (D - 1,), True), Block("bias", (1,), False)])
    mixes = issubclass(cls, MixtureLearner)
    given = {"penalty": penalty} if issubclass(cls, Composite) else {}
    algorithm = cls(**given, **values, population=Population(10, 9, COMPONENTS if mixes else 1))
    w0 = tf.zeros([1, 1, COMPONENTS * (D + 1) if mixes else D], tf.float64)  # components and their weights
    return {"server": algorithm.init_server(w0), "client": algorithm.init_client(w0)}
