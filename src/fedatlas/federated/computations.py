"""What the server and a shard of clients compute in TensorFlow, one `tff.tensorflow.computation` each."""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorflow as tf

from fedatlas.algorithms import SkipsCommunication
from fedatlas.federated.batches import Sizes, Streams, select_batches, whole
from fedatlas.federated.client_reader import ClientReader, Examples
from fedatlas.federated.objectives import Objective
from fedatlas.federated.setting import Setting
from fedatlas.federated.tracing import computation, structure_of
from fedatlas.federated.training import ShardSums, Steps, one_after_another, train_chunk
from fedatlas.problems.base import Batch


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


class ModelMetrics(NamedTuple):
    """params [G, d], alive [G], the penalty psi(w) [G], and the problem's metrics of the parameters, each [G]."""

    params: tf.Tensor
    alive: tf.Tensor
    penalty: tf.Tensor
    metrics: Any


def prepare_computation(setting: Setting, state_type: Any) -> Any:
    def prepare(state):
        algorithm, coin = setting.instance(state.round), _coin(setting, state.round)
        content = algorithm.broadcast(state.server, coin)
        sent = algorithm.communicated(content) if isinstance(algorithm, SkipsCommunication) else 1.0
        return Message(state.round, content), tf.broadcast_to(tf.cast(sent, setting.dtype), state.alive.shape)

    return computation(prepare, state_type)


def _coin(setting: Setting, round_number: tf.Tensor) -> tf.Tensor:
    """[1, 1, 1], uniform on [0, 1)."""
    coin = tf.random.stateless_uniform([1, 1, 1], tf.stack([setting.coin_seed, round_number]))
    return tf.cast(coin, setting.dtype)


def model_computation(setting: Setting, state_type: Any) -> Any:
    return computation(lambda state: setting.instance().model(state.server), state_type)


def work_computation(setting: Setting) -> Any:
    """(Message, Cohort) -> (ShardSums, states): the work of one shard."""
    reader, problem = setting.readers["train"], setting.problem
    most = setting.work.most_steps(int(reader.sizes.sum()) if setting.pooled else reader.most)
    groups = setting.groups

    @tf.function(jit_compile=setting.compiled, autograph=False)
    def train(message, states, examples, batches, weights):
        steps = Steps(batches, most, setting.local)

        def train_group(values, content, states):
            F = Objective.of_all(problem, whole(examples), setting.dtype, setting.solver)
            return train_chunk(setting.instance(message.round, values), content, states, F, steps, weights)

        if groups == 1:
            return train_group(setting.values(), message.content, states)
        return one_after_another(train_group, groups, (setting.values(), message.content, states))

    @tf.function(autograph=False)
    def one_chunk(message, clients, states):
        examples = reader.read_pooled() if setting.pooled else setting.read(reader, clients)
        batches = round_of_batches(setting, reader, examples, clients, message.round)
        return train(message, states, examples, batches, setting.weights(examples.counts))

    def work(message, cohort):
        return _over_chunks(one_chunk, message, cohort)

    return lambda *types: computation(work, *types)


def round_of_batches(
    setting: Setting, reader: ClientReader, examples: Examples, clients: tf.Tensor, round_number: tf.Tensor
) -> Batch | None:
    """The batches that these clients of a reader take in a round."""
    streams = Streams(clients[:1] if setting.pooled else clients, setting.seed, round_number)
    sizes = reader.sizes.sum(keepdims=True) if setting.pooled else reader.sizes
    of_all = Sizes(*(max(int(size), 1) for size in (sizes.min(), sizes.max())))
    keyed = setting.problem.random or setting.local.augmentation is not None
    return select_batches(setting.work, examples, streams, of_all, keyed, numbered=setting.per_example)


def _over_chunks(one_chunk: Any, message: Message, cohort: Cohort) -> tuple[ShardSums, Any]:
    """Adds up the chunks of a shard, one after another."""
    count = tf.shape(cohort.clients)[0]

    def chunk(i):
        return tf.nest.map_structure(lambda a: a[i], tuple(cohort))

    sums, states = structure_of(one_chunk, message, *chunk(0))
    zeros = tf.nest.map_structure(lambda spec: tf.zeros(spec.shape, spec.dtype), sums)
    collected = [tf.TensorArray(spec.dtype, count, element_shape=spec.shape) for spec in tf.nest.flatten(states)]

    def body(i, sums, collected):
        more, new = one_chunk(message, *chunk(i))
        written = [array.write(i, leaf) for array, leaf in zip(collected, tf.nest.flatten(new), strict=True)]
        return i + 1, tf.nest.map_structure(tf.add, sums, more), written

    _, sums, collected = tf.while_loop(lambda i, *_: i < count, body, (tf.constant(0), zeros, collected))
    return sums, tf.nest.pack_sequence_as(states, [array.stack() for array in collected])


def update_computation(setting: Setting) -> Any:
    """(State, ShardSums) -> State; a configuration whose updates or new state are not finite keeps its last state."""

    def update(state, sums):
        mean = tf.nest.map_structure(lambda u: tf.math.divide_no_nan(u, sums.weight), sums.update)
        algorithm = setting.instance(state.round)
        new = algorithm.update_server(state.server, mean, sums.weight / setting.total_weight)
        alive = state.alive & (sums.weight > 0)
        for leaf in tf.nest.flatten(new):
            alive &= tf.reduce_all(tf.math.is_finite(leaf), [1, 2], keepdims=True)
        server = tf.nest.map_structure(lambda a, b: tf.where(alive, a, b), new, state.server)
        return State(state.round + 1, alive, server)

    return lambda *types: computation(update, *types)
