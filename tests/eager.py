"""Simulations whose operations TensorFlow computes one by one: a round by hand does not wait for a graph.

What the library writes for TensorFlow Federated runs as it stands; only who runs it is another. That the graphs, both
engines and XLA compute the same is a test of every algorithm (`algorithms/test_every_algorithm.py`).
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import itertools
import pkgutil
import weakref
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import tensorflow as tf

import fedatlas.federated
from fedatlas.algorithms import Algorithm, ExactLocal
from fedatlas.federated import process, simulation
from fedatlas.federated.setting import Setting
from fedatlas.federated.tracing import structure_of as _structure_of

ENGINES = ("engines", "inprocess", "native")


@functools.cache
def rooms() -> list[ModuleType]:
    """The modules that describe federated computations."""
    names = [module.name for module in pkgutil.iter_modules(fedatlas.federated.__path__) if module.name not in ENGINES]
    return [importlib.import_module(f"fedatlas.federated.{name}") for name in names]


def few(algorithm: type[Algorithm]) -> int:
    """Rounds that take less than to trace one; a solver's are too many operations."""
    return 0 if issubclass(algorithm, ExactLocal) else 5


@contextlib.contextmanager
def eagerly(rounds: Callable[[type[Algorithm]], int] = few) -> Iterator[None]:
    """Simulations that are made and advanced in here have no graph; the bytes of their messages are not known: 0.

    Args:
        rounds: how many an algorithm does so; those after them are a graph.
    """
    with contextlib.ExitStack() as stack:
        tf.config.run_functions_eagerly(True)
        stack.callback(tf.config.run_functions_eagerly, False)
        stack.enter_context(mock.patch.object(simulation, "Process", functools.partial(Process, rounds)))
        for room in rooms():
            for name in STANDING_IN.keys() & vars(room).keys():
                stack.enter_context(mock.patch.object(room, name, STANDING_IN[name]))
        yield


def structure_of(function: Any, *arguments: Any) -> Any:
    """As the library's; a call takes a quarter of what a trace takes that no call would use."""
    if not tf.executing_eagerly():
        return _structure_of(function, *arguments)
    known = _structures.setdefault(function, {})
    types = tuple((tuple(leaf.shape), leaf.dtype) for leaf in tf.nest.flatten(arguments))
    if types not in known:
        known[types] = tf.nest.map_structure(lambda a: tf.TensorSpec(a.shape, a.dtype), function(*arguments))
    return known[types]


_structures: weakref.WeakKeyDictionary[Any, dict[Any, Any]] = weakref.WeakKeyDictionary()


class Process(process.Process):
    """A process whose first rounds are operations, and those after them a graph of the whole round."""

    def __init__(self, rounds: Callable[[type[Algorithm]], int], setting: Setting):
        super().__init__(setting)
        self._rounds = rounds(setting.algorithm)

    @functools.cached_property
    def next(self) -> Callable[..., Any]:
        described = process.Process.next.func(self)
        left = itertools.count(self._rounds, -1)
        as_graph = tf.function(described, autograph=False)

        def next_round(*arguments: Any) -> Any:
            if next(left) > 0:
                return described(*arguments)
            tf.config.run_functions_eagerly(False)
            try:
                return as_graph(*arguments)
            finally:
                tf.config.run_functions_eagerly(True)

        return next_round


class Unknown:
    """The type of what has not been computed."""

    shape, dtype = (0, 0), "int8"

    def __getattr__(self, name: str) -> Unknown:
        return self

    def __getitem__(self, place: Any) -> Unknown:
        return self


class Computation:
    """A computation, calls of which are calls of its function."""

    type_signature = Unknown()

    def __init__(self, function: Callable[..., Any]):
        self._function = function

    def __call__(self, *arguments: Any) -> Any:
        return self._function(*tf.nest.map_structure(_tensor, arguments))


class AtClients(list):
    """One value for each TFF client; a part of them is the same part of each."""

    def __getitem__(self, place: Any) -> AtClients:
        return AtClients(each[place] for each in self)

    def __getattr__(self, name: str) -> AtClients:
        return AtClients(getattr(each, name) for each in self)


def _tensor(value: Any) -> Any:
    return tf.convert_to_tensor(value) if isinstance(value, np.ndarray) else value


def _computation(*arguments: Any) -> Any:
    """Of a function and types, or a decorator with types."""
    return Computation(arguments[0]) if arguments and callable(arguments[0]) else Computation


def _map(function: Computation, argument: Any) -> Any:
    """At the server, or at each client where a part of the argument is a list; several parts are arguments."""
    parts = argument if type(argument) is tuple else (argument,)
    numbers = {len(part) for part in parts if isinstance(part, list)}
    if not numbers:
        return function(*parts)
    (number,) = numbers
    each = zip(*(part if isinstance(part, list) else [part] * number for part in parts), strict=True)
    return AtClients(function(*one) for one in each)


def _sum(values: AtClients) -> Any:
    return functools.reduce(lambda a, b: tf.nest.map_structure(tf.add, a, b), list(values))


def _unknown(*arguments: Any) -> Unknown:
    return Unknown()


# What these rooms use of `tensorflow_federated`.
STAND_IN = SimpleNamespace(
    SERVER="server",
    CLIENTS="clients",
    StructType=(),
    TensorType=_unknown,
    FederatedType=_unknown,
    to_type=_unknown,
    tensorflow=SimpleNamespace(computation=_computation),
    federated_computation=_computation,
    federated_map=_map,
    federated_sum=_sum,
    federated_broadcast=lambda value: value,
    federated_eval=lambda function, placement: function(),
)

STANDING_IN = {"tff": STAND_IN, "structure_of": structure_of}  # by the name that a module gives it
