"""Clients whose states are changed together after every round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from simulating import grid, simulate, write_regression

from fedatlas.algorithms import Decentralised, algorithms
from fedatlas.algorithms.base import Update
from fedatlas.federated import engines
from fedatlas.federated.simulation import Simulation

FedAvg = algorithms["fedavg"]


class Own(NamedTuple):
    params: Any


@dataclass(frozen=True)
class Gossip(Decentralised, FedAvg):
    """Every client descends from a model of its own; then all models are averaged along the graph."""

    def init_client(self, w0):
        return Own(w0)

    def start(self, message, client, F):
        return client.params

    def finish(self, w, k, message, client):
        return Update(w - message.params), Own(w)

    def gossip(self, server, clients, graph):
        return server, Own(tf.einsum("st,gtd->gsd", graph, clients.params))


def gossip(store, graph, shards=1):
    simulation = simulate(store, "fedavg", grid("fedavg", [0.02, 0.05]), shards=shards, chunk=2)
    setting = simulation._whole
    changed = type(setting)(**{**vars(setting), "algorithm": Gossip, "graph": graph})
    return Simulation(changed, cohort=4, cohort_seed=5, shards=shards, active=np.arange(2))


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return write_regression(tmp_path_factory.mktemp("gossip") / "store", [8, 8, 8, 8])


def test_gossip_with_everyone_is_averaging(store):
    expected = simulate(store, "fedavg", grid("fedavg", [0.02, 0.05]))
    found = gossip(store, np.full((4, 4), 1 / 4))
    for _ in range(3):
        expected.advance()
        found.advance()
    for client in range(4):
        np.testing.assert_allclose(found.clients.params[client], expected.measure().params, rtol=1e-9)


def test_gossip_with_no_one_is_training_alone(store):
    alone, together = gossip(store, np.eye(4)), gossip(store, np.full((4, 4), 1 / 4))
    for simulation in (alone, together):
        simulation.advance()
    assert np.ptp(alone.clients.params, axis=0).max() > 1e-3
    assert np.ptp(together.clients.params, axis=0).max() < 1e-12
    np.testing.assert_allclose(alone.clients.params.mean(0), together.clients.params[0], rtol=1e-9)


def test_both_engines_gossip_alike(store):
    graph = np.array([[0.5, 0.5, 0, 0], [0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5], [0, 0, 0.5, 0.5]])

    def run():
        simulation = gossip(store, graph, shards=2)
        simulation.advance()
        simulation.advance()
        return simulation.clients.params

    here = run()
    engines.install("native", 1)
    try:
        np.testing.assert_allclose(run(), here, rtol=1e-12)
    finally:
        engines.install("inprocess", 1)
