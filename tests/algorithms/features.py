"""What an execution engine sees of an algorithm, and a few algorithms that have everything that any of them has."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterator
from types import CodeType

import tensorflow as tf
from simulating import EXAMPLES

from fedatlas.algorithms import registry
from fedatlas.algorithms.base import Algorithm, Objective, Population
from fedatlas.problems.blocks import Block, OnKernels
from fedatlas.prox import penalties

FLAGS = ("solves", "mixes", "tunes", "remembers", "meets", "peers")
ROLES = ("broadcast", "communicated", "local_steps", "start", "finish", "personal", "server_metrics", "model")
D, COMPONENTS = 7, 2


def features(name: str) -> set[Hashable]:
    """The shapes of what its server and its clients keep, its flags, the roles that it fills, and what it asks for."""
    cls = registry()[name]
    own = {attribute for attribute in FLAGS if getattr(cls, attribute)}
    own |= {role for role in ROLES if getattr(cls, role) is not getattr(Algorithm, role)}
    states = _states(cls)
    asked = {"penalty", *vars(Objective)} & set(_names(cls))
    kept = {(whose, leaf.shape[1:]) for whose, state in states.items() for leaf in tf.nest.flatten(state)}
    numbers = {(whose, min(len(tf.nest.flatten(state)), 2)) for whose, state in states.items()}  # none, one, several
    return {cls.data, cls.participation} | own | asked | kept | numbers


def _names(cls: type[Algorithm]) -> Iterator[str]:
    """The attributes that its functions read, those of the registry's classes that it is made from among them."""
    functions = [member for parent in cls.__mro__ for member in vars(parent).values() if parent is not Algorithm]
    codes = [member.__code__ for member in functions if hasattr(member, "__code__")]
    while codes:
        code = codes.pop()
        yield from code.co_names
        codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]


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
    algorithm = cls(penalty, **values, population=Population(10, 9))
    w0 = tf.zeros([1, 1, COMPONENTS * (D + 1) if cls.mixes else D], tf.float64)  # components and their weights
    return {"server": algorithm.init_server(w0), "client": algorithm.init_client(w0)}
