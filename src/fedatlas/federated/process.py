"""An algorithm and a problem as federated computations.

    initialize : ( -> State@SERVER)
    next       : (<State@SERVER, {Cohort}@CLIENTS>
                  -> <State@SERVER, {client states}@CLIENTS, gradients@SERVER, communicated@SERVER>)
    synchronise : (<State@SERVER, states of all clients@SERVER> -> the same), where the algorithm is `Synchronised`
                  or `Decentralised`
    evaluate   : (<State@SERVER, {Microbatch}@CLIENTS> -> sums of metrics@SERVER), for every split
    evaluate_own : (<State@SERVER, {Cohort}@CLIENTS> -> {metrics of every client}@CLIENTS)
    measure    : (State@SERVER -> ModelMetrics@SERVER)

A TFF client is a shard of simulated clients: it gets their numbers, reads their examples, trains them side by side
and sends the sum of their updates. Sums of sums are exact up to rounding, so the number of shards does not matter.
A shard's clients come as [chunks, chunk]: the clients of a chunk are vectorised, chunks follow one another.
"""

from __future__ import annotations

import functools
import math
from functools import cached_property
from typing import Any, cast

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from fedatlas.algorithms import Decentralised, ServerMetrics, Synchronised
from fedatlas.federated.computations import (
    Cohort,
    ModelMetrics,
    State,
    model_computation,
    prepare_computation,
    update_computation,
    work_computation,
)
from fedatlas.federated.evaluation import evaluate_computation, microbatch_type
from fedatlas.federated.personal_evaluation import personal_computation
from fedatlas.federated.setting import Setting
from fedatlas.federated.tracing import computation
from fedatlas.federated.training import WithMomentum, with_state, without_momentum
from fedatlas.structure import NONE


class Process:
    """The federated computations of one run."""

    def __init__(self, setting: Setting):
        self._setting = setting
        self.evaluate_own = functools.cache(self._own_models)

    @cached_property
    def initialize(self) -> Any:
        setting = self._setting

        def create():
            alive = tf.ones([setting.num_configurations, 1, 1], tf.bool)
            return State(tf.constant(0), alive, setting.instance().init_server(setting.initial_params()))

        created = computation(create)
        return tff.federated_computation(lambda: tff.federated_eval(created, tff.SERVER))

    @property
    def state_type(self) -> Any:
        return self.initialize.type_signature.result.member

    @cached_property
    def initial_client_state(self) -> Any:
        """The persistent state of a client before the first round, numpy arrays [G, 1, ...]; () if there is none."""
        setting = self._setting
        state = setting.instance().init_client(setting.initial_params())
        state = tf.nest.map_structure(np.asarray, state) if tf.nest.flatten(state) else NONE
        if not (setting.local.keeps_momentum and setting.local.momentum):
            return state
        return WithMomentum(
            state, np.zeros([setting.num_configurations, 1, setting.problem.num_trained], setting.dtype)
        )

    @cached_property
    def next(self) -> Any:
        prepare, work = self._prepare, self._work
        update = update_computation(self._setting)(self.state_type, work.type_signature.result[0])

        @tff.federated_computation(
            tff.FederatedType(self.state_type, tff.SERVER), tff.FederatedType(self._cohort_type, tff.CLIENTS)
        )
        def next_round(state, cohort):
            prepared = tff.federated_map(prepare, state)
            result = tff.federated_map(work, (tff.federated_broadcast(prepared[0]), cohort))
            sums = tff.federated_sum(result[0])
            return tff.federated_map(update, (state, sums)), result[1], sums.gradients, prepared[1]

        return next_round

    @cached_property
    def message_bytes(self) -> tuple[int, int]:
        """What one client gets and sends in a round, in one configuration."""
        message, sums = self._prepare.type_signature.result[0], self._work.type_signature.result[0]
        return _bytes_of_one_configuration(message.content), _bytes_of_one_configuration(sums.update)

    @cached_property
    def _prepare(self) -> Any:
        return prepare_computation(self._setting, self.state_type)

    @cached_property
    def _work(self) -> Any:
        return work_computation(self._setting)(self._prepare.type_signature.result[0], self._cohort_type)

    @cached_property
    def _cohort_type(self) -> Any:
        return _cohort_type(self._setting, self.initial_client_state)

    @cached_property
    def synchronise(self) -> Any:
        """The computation after a round; the states of all clients [G, clients, ...] lie at the server.

        So it is a device of simulation: in the field, the clients would talk to each other, or the server hold a row
        for each of them.
        """
        setting = self._setting
        number = setting.readers["train"].num_clients

        def of_all(array: np.ndarray) -> Any:
            return tff.TensorType(array.dtype.type, [array.shape[0], number, *array.shape[2:]])

        clients_type = tff.to_type(tf.nest.map_structure(of_all, self.initial_client_state))

        def together(state, clients):
            algorithm, own = setting.instance(state.round), without_momentum(clients)
            if isinstance(algorithm, Decentralised):
                server, own = algorithm.gossip(state.server, own, tf.constant(setting.graph, setting.dtype))
            else:
                server, own = cast(Synchronised, algorithm).synchronise(state.server, own)
            return state._replace(server=server), with_state(clients, own)

        synchronised = computation(together, self.state_type, clients_type)

        @tff.federated_computation(
            tff.FederatedType(self.state_type, tff.SERVER), tff.FederatedType(clients_type, tff.SERVER)
        )
        def synchronisation(state, clients):
            return tff.federated_map(synchronised, (state, clients))

        return synchronisation

    def _own_models(self, train: str, splits: tuple[str, ...]) -> Any:
        """The computation that evaluates the clients' own models; the clients are those that train on `train`."""
        message_type = self._prepare.type_signature.result[0]
        work = personal_computation(self._setting, train, splits)(message_type, self._cohort_type)

        @tff.federated_computation(
            tff.FederatedType(self.state_type, tff.SERVER), tff.FederatedType(self._cohort_type, tff.CLIENTS)
        )
        def evaluation(state, cohort):
            message = tff.federated_broadcast(tff.federated_map(self._prepare, state)[0])
            return tff.federated_map(work, (message, cohort))

        return evaluation

    @cached_property
    def evaluate(self) -> Any:
        """The computation that evaluates the reported model on microbatches of a split."""
        model, microbatch = model_computation(self._setting, self.state_type), microbatch_type(self._setting)
        evaluate = evaluate_computation(self._setting)(model.type_signature.result, microbatch)

        @tff.federated_computation(
            tff.FederatedType(self.state_type, tff.SERVER), tff.FederatedType(microbatch, tff.CLIENTS)
        )
        def evaluation(state, microbatches):
            params = tff.federated_broadcast(tff.federated_map(model, state))
            return tff.federated_sum(tff.federated_map(evaluate, (params, microbatches)))

        return evaluation

    @cached_property
    def measure(self) -> Any:
        setting = self._setting

        def describe(state):
            algorithm, penalty = setting.instance(), setting.on_kernels
            params = algorithm.model(state.server)[:, 0]
            at_server = algorithm.server_metrics(state.server) if isinstance(algorithm, ServerMetrics) else {}
            metrics = setting.problem.model_metrics(params) | {name: m[:, 0, 0] for name, m in at_server.items()}
            if penalty.indicator:
                metrics = metrics | {"violation": penalty.violation(params)}
            return ModelMetrics(params, state.alive[:, 0, 0], penalty.value(params), metrics)

        measured = computation(describe, self.state_type)
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
