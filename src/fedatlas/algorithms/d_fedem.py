"""Expectation-maximisation over clients that only talk to their neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms._traits import Decentralised, MixtureLearner, Personal
from fedatlas.algorithms.base import Array, Server, Update, positive
from fedatlas.algorithms.fedem import e_step, m_step
from fedatlas.lazy import tf


class Client(NamedTuple):
    """theta [G, C, M d] are the client's own components, weights [G, C, M] is pi_t."""

    theta: Array
    weights: Array


@dataclass(frozen=True)
class DFedEM(Decentralised, MixtureLearner, Personal):
    """FedEM without a server: every client keeps its own components, and averages them with those of its neighbours.

    Marfoq, Neglia, Bellet, Kameni, Vidal, NeurIPS 2021 (arXiv 2108.10252), Algorithm 4.

    Symbols: theta_m,t -> theta, pi_t -> weights, q_t -> q, eta -> client_lr, W -> graph.
    Differs from the paper: a local step is not scaled by the client's share of the examples, as in the authors' code,
    and W is the same in every round. The reported model, which no client has, is the mean of all. A message is counted
    as one model each way.
    """

    name = "D-FedEM"
    citation = "Marfoq et al., NeurIPS 2021, Algorithm 4"
    colour = "#bf8040"
    weighting = "alike"

    client_lr: Array = positive()

    def init_client(self, w0):
        return Client(*self.split(w0))

    def start(self, message, client, F):
        return e_step(client.theta, client.weights, F)  # lines 9-12

    def step(self, local, k, message, client, f):
        return m_step(local, self.client_lr, f)

    def finish(self, local, k, message, client):
        return Update(local.theta - client.theta), Client(local.theta, local.weights)

    def update_server(self, server, mean, participation):
        return server

    def gossip(self, server, clients, graph):
        theta = tf.einsum("st,gsd->gtd", graph, clients.theta)  # line 18
        mean = tf.reduce_mean(theta, 1, keepdims=True)
        return Server(tf.concat([mean, self.split(server.params)[1]], -1)), clients._replace(theta=theta)

    def personal_model(self, local, message, client, F):
        return tf.concat([local.theta, local.weights], -1)
