"""An algorithm and a problem as federated computations.

    initialize : ( -> State@SERVER)
    next       : (<State@SERVER, {Cohort}@CLIENTS> -> <State@SERVER, {client states}@CLIENTS, gradients@SERVER>)
    evaluate   : (<State@SERVER, {client numbers}@CLIENTS> -> sums of metrics@SERVER), one per split
    measure    : (State@SERVER -> Measured@SERVER)

A TFF client is a shard of simulated clients: it gets their numbers, reads their examples, trains them side by side
and sends the sum of their updates. Sums of sums are exact up to rounding, so the number of shards does not matter.
A shard's clients come as [chunks, chunk]: the clients of a chunk are vectorised, chunks follow one another.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from fedatlas.algorithms.base import Algorithm
from fedatlas.federated.batches import LocalWork, select_batches
from fedatlas.federated.reading import NO_CLIENT, ClientReader, Examples
from fedatlas.federated.training import Sums, mean_over_examples, train_chunk
from fedatlas.problems.base import Batch, Problem
from fedatlas.problems.blocks import OnKernels
from fedatlas.prox.base import Penalty


class State(NamedTuple):
    """At the server: the rounds done [], which configurations have not diverged [G, 1, 1], the algorithm's state."""

    round: tf.Tensor
    alive: tf.Tensor
    server: Any


class Message(NamedTuple):
    round: tf.Tensor
    content: Any


class Cohort(NamedTuple):
    """At a TFF client: numbers [chunks, chunk], and states [chunks, G, chunk, ...] where the algorithm keeps any."""

    clients: Any
    states: Any


class Measured(NamedTuple):
    """params [G, d], alive [G], the penalty psi(w) [G], and the problem's metrics of the parameters, each [G]."""

    params: tf.Tensor
    alive: tf.Tensor
    penalty: tf.Tensor
    metrics: Any


@dataclass(frozen=True)
class Setting:
    """Everything that the federated computations of a run are made from.

    Attributes:
        hyperparameters: name -> [G], one value per configuration.
        readers: one per split; `train` is the one that is trained on.
        chunk: how many clients are vectorised at once.
        weighting: `uniform`, or `examples` for weights in proportion to the clients' numbers of examples.
    """

    algorithm: type[Algorithm]
    hyperparameters: Mapping[str, np.ndarray]
    problem: Problem
    penalty: Penalty
    readers: Mapping[str, ClientReader]
    work: LocalWork
    weighting: str
    dtype: str
    chunk: int
    seed: int  # of the run's stream of batches
    initial: np.ndarray

    @property
    def num_configurations(self) -> int:
        return len(next(iter(self.hyperparameters.values())))

    @property
    def pooled(self) -> bool:
        return self.algorithm.data == "pooled"

    def instance(self) -> Algorithm:
        """The algorithm with its hyper-parameters as tensors [G, 1, 1]; to be called where a graph is being built."""
        values = {name: tf.constant(v, self.dtype)[:, None, None] for name, v in self.hyperparameters.items()}
        return self.algorithm(penalty=OnKernels(self.penalty, self.problem.blocks), **values)

    def initial_params(self) -> tf.Tensor:
        """w0, [G, 1, d]."""
        return tf.tile(tf.constant(self.initial, self.dtype)[None, None], [self.num_configurations, 1, 1])


class Process:
    """The federated computations of one run."""

    def __init__(self, setting: Setting):
        self._setting = setting
        self.evaluate = functools.cache(self._evaluation)

    @cached_property
    def initialize(self) -> Any:
        setting = self._setting

        @tff.tensorflow.computation
        def create():
            alive = tf.ones([setting.num_configurations, 1, 1], tf.bool)
            return State(tf.constant(0), alive, setting.instance().init_server(setting.initial_params()))

        return tff.federated_computation(lambda: tff.federated_eval(create, tff.SERVER))

    @property
    def state_type(self) -> Any:
        return self.initialize.type_signature.result.member

    @cached_property
    def initial_client_state(self) -> Any:
        """The persistent state of a client before the first round, numpy arrays [G, 1, ...]; () if there is none."""
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            state = self._setting.instance().init_client(self._setting.initial_params())
            return session.run(state) if tf.nest.flatten(state) else ()

    @cached_property
    def next(self) -> Any:
        prepare, update = _prepare(self._setting, self.state_type), _update(self._setting)
        cohort_type = _cohort_type(self._setting, self.initial_client_state)
        work = _work(self._setting)(prepare.type_signature.result, cohort_type)
        update = update(self.state_type, work.type_signature.result[0])
        self.message_bytes = (
            _bytes_of_one_configuration(prepare.type_signature.result.content),
            _bytes_of_one_configuration(work.type_signature.result[0].update),
        )

        @tff.federated_computation(
            tff.FederatedType(self.state_type, tff.SERVER), tff.FederatedType(cohort_type, tff.CLIENTS)
        )
        def next_round(state, cohort):
            message = tff.federated_broadcast(tff.federated_map(prepare, state))
            result = tff.federated_map(work, (message, cohort))
            sums = tff.federated_sum(result[0])
            return tff.federated_map(update, (state, sums)), result[1], sums.gradients

        return next_round

    def _evaluation(self, split: str) -> Any:
        """The computation that evaluates the reported model on the clients of a split, given as [chunks, chunk]."""
        model, evaluate = _model(self._setting, self.state_type), _evaluate(self._setting, split)
        clients_type = tff.TensorType(np.int32, [None, None])
        evaluate = evaluate(model.type_signature.result, clients_type)

        @tff.federated_computation(
            tff.FederatedType(self.state_type, tff.SERVER), tff.FederatedType(clients_type, tff.CLIENTS)
        )
        def evaluation(state, clients):
            params = tff.federated_broadcast(tff.federated_map(model, state))
            return tff.federated_sum(tff.federated_map(evaluate, (params, clients)))

        return evaluation

    @cached_property
    def measure(self) -> Any:
        setting = self._setting

        @tff.tensorflow.computation(self.state_type)
        def measured(state):
            algorithm = setting.instance()
            params = algorithm.model(state.server)[:, 0]
            metrics = setting.problem.model_metrics(params)
            return Measured(params, state.alive[:, 0, 0], algorithm.penalty.value(params), metrics)

        at_server = tff.FederatedType(self.state_type, tff.SERVER)
        return tff.federated_computation(lambda state: tff.federated_map(measured, state), at_server)


def _bytes_of_one_configuration(type_spec: Any) -> int:
    """The bytes of a structure of [G, 1, ...] for one of the G configurations."""
    if isinstance(type_spec, tff.StructType):
        return sum(_bytes_of_one_configuration(member) for member in type_spec.children())
    return math.prod(type_spec.shape[1:]) * np.dtype(type_spec.dtype).itemsize


def _cohort_type(setting: Setting, client_state: Any) -> Any:
    numbers = tff.TensorType(np.int32, [None, setting.chunk])

    def state_type(array: np.ndarray) -> Any:
        return tff.TensorType(array.dtype.type, [None, array.shape[0], setting.chunk, *array.shape[2:]])

    return tff.to_type(Cohort(numbers, tf.nest.map_structure(state_type, client_state)))


def _prepare(setting: Setting, state_type: Any) -> Any:
    @tff.tensorflow.computation(state_type)
    def prepare(state):
        return Message(state.round, setting.instance().broadcast(state.server))

    return prepare


def _model(setting: Setting, state_type: Any) -> Any:
    return tff.tensorflow.computation(lambda state: setting.instance().model(state.server), state_type)


def _work(setting: Setting) -> Any:
    """(Message, Cohort) -> (Sums, states): the work of one shard."""
    reader, problem = setting.readers["train"], setting.problem
    steps = setting.work.most_steps(int(reader.sizes.sum()) if setting.pooled else reader.most)

    @tf.function(jit_compile=problem.compile == "xla")
    def train(message, states, batches, weights):
        return train_chunk(setting.instance(), problem, message, states, batches, steps, weights)

    def one_chunk(message, clients, states):
        examples = reader.read_pooled(clients) if setting.pooled else reader.read(clients)
        numbers = clients[:1] if setting.pooled else clients
        fewest = int(reader.sizes.sum() if setting.pooled else reader.sizes.min())
        batches = select_batches(setting.work, examples, numbers, setting.seed, message.round, fewest)
        return train(message.content, states, batches, _weights(setting, examples))

    def work(message, cohort):
        return _over_chunks(lambda clients, states: one_chunk(message, clients, states), cohort)

    return lambda *types: tff.tensorflow.computation(work, tff.to_type([("message", types[0]), ("cohort", types[1])]))


def _over_chunks(one_chunk: Any, cohort: Cohort) -> tuple[Sums, Any]:
    """Adds up the chunks of a shard, one after another."""
    count = tf.shape(cohort.clients)[0]
    first, states = one_chunk(cohort.clients[0], tf.nest.map_structure(lambda a: a[0], cohort.states))
    collected = [tf.TensorArray(leaf.dtype, count).write(0, leaf) for leaf in tf.nest.flatten(states)]

    def body(i, sums, collected):
        more, new = one_chunk(cohort.clients[i], tf.nest.map_structure(lambda a: a[i], cohort.states))
        written = [array.write(i, leaf) for array, leaf in zip(collected, tf.nest.flatten(new), strict=True)]
        return i + 1, tf.nest.map_structure(tf.add, sums, more), written

    _, sums, collected = tf.while_loop(lambda i, *_: i < count, body, (tf.constant(1), first, collected))
    return sums, tf.nest.pack_sequence_as(states, [array.stack() for array in collected])


def _weights(setting: Setting, examples: Examples) -> tf.Tensor:
    """[C]: 1 or the number of examples; 0 for a client that is not there."""
    counts = tf.cast(examples.counts, setting.dtype)
    return counts if setting.weighting == "examples" else tf.minimum(counts, 1)


def _update(setting: Setting) -> Any:
    """(State, Sums) -> State; a configuration whose updates or whose new state are not finite keeps its last state."""
    total = 1 if setting.pooled else setting.readers["train"].num_clients

    def update(state, sums):
        mean = tf.nest.map_structure(lambda u: tf.math.divide_no_nan(u, sums.weight), sums.update)
        new = setting.instance().update_server(state.server, mean, sums.clients / total)
        alive = state.alive & (sums.weight > 0)
        for leaf in tf.nest.flatten(new):
            alive &= tf.reduce_all(tf.math.is_finite(leaf), [1, 2], keepdims=True)
        server = tf.nest.map_structure(lambda a, b: tf.where(alive, a, b), new, state.server)
        return State(state.round + 1, alive, server)

    return lambda *types: tff.tensorflow.computation(update, tff.to_type([("state", types[0]), ("sums", types[1])]))


def _evaluate(setting: Setting, split: str) -> Any:
    """(params [G, 1, d], numbers [chunks, chunk]) -> {metric: [G], "weight": []}, sums over the shard's clients."""
    reader, problem = setting.readers[split], setting.problem

    @tf.function(jit_compile=problem.compile == "xla")
    def one_chunk(params, examples):
        batch = Batch(examples.x, examples.y, tf.sequence_mask(examples.counts, reader.most))
        weights = _weights(setting, examples)
        wide = tf.repeat(params, tf.shape(examples.x)[0], axis=1)
        metrics = {
            name: tf.reduce_sum(mean_over_examples(values, batch.mask) * weights, -1)
            for name, values in problem.example_metrics(wide, batch).items()
        }
        return metrics | {"weight": tf.reduce_sum(weights)}

    def evaluate(params, clients):
        def add(sums, numbers):
            return tf.nest.map_structure(tf.add, sums, one_chunk(params, reader.read(numbers)))

        zeros = tf.nest.map_structure(tf.zeros_like, one_chunk(params, reader.read(clients[0] * 0 + NO_CLIENT)))
        return tf.foldl(add, clients, zeros)

    return lambda *types: tff.tensorflow.computation(
        evaluate, tff.to_type([("params", types[0]), ("clients", types[1])])
    )
