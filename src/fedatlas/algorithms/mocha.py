"""Multi-task support vector machines, by coordinate ascent in the clients' duals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms._traits import PerExample, Personal, PlainSteps, Synchronised
from fedatlas.algorithms.base import Array, bounded, positive
from fedatlas.errors import AtlasError
from fedatlas.lazy import tf

LEAST = 1e-7  # eigenvalue of W'W, as in the authors' code; of W = 0 it makes Sigma = I / T


class Server(NamedTuple):
    """params [G, 1, d] is the mean of the w_t, relation [G, T, T] is Sigma, rho and round are [G, 1, 1]."""

    params: Array
    relation: Array
    rho: Array
    round: Array


class Message(NamedTuple):
    """params [G, 1, d] stands for w_t, which the server sends to each client, rho [G, 1, 1] as at the server."""

    params: Array
    rho: Array


class Client(NamedTuple):
    """params [G, C, d] is w_t, sums [G, C, d] b_t, duals [G, C, examples] the y alpha_t, own [G, C, 1] Sigma_tt."""

    params: Array
    sums: Array
    duals: Array
    own: Array


class Local(NamedTuple):
    """change [G, C, d] is Delta b_t, duals as in Client, examples [G, C, 1] is n_t."""

    change: Array
    duals: Array
    examples: Array


class Update(NamedTuple):
    """change [G, C, d] is Delta b_t."""

    change: Array


@dataclass(frozen=True)
class MOCHA(PlainSteps, Synchronised, Personal, PerExample):
    """Clients ascend their parts of the dual problem example by example; the server learns how they are related.

    min over W and Omega of sum_t mean_i max(0, 1 - y w_t'x) + strength/2 tr(W Omega W'), with Sigma = Omega^-1 and
    tr Sigma = 1. Smith, Chiang, Sanjabi, Talwalkar, NeurIPS 2017 (arXiv 1705.10467), Algorithm 1 with SDCA as the
    local solver; Sigma as in Zhang, Yeung, UAI 2010. The problem is `hinge`.

    Symbols: w_t -> params, y alpha_t in [0, 1] -> duals, b_t = mean_i alpha_i x_i -> sums, lambda -> strength,
    Sigma -> relation, rho -> rho (of sigma' = gamma rho, gamma = 1), rounds between two Sigma -> period.
    Differs from the paper: a client's loss is the mean over its examples, in equation 1 their sum, so that clients of
    unequal size count alike; from its code in that w_t is what belongs to the duals under a new Sigma too. A local step
    is one example, so that an epoch with batches of one is a pass over all of them in random order.
    """

    name = "MOCHA"
    citation = "Smith et al., NeurIPS 2017, Algorithm 1"
    colour = "#e619b2"
    weighting = "alike"
    unchanged = "takes no gradients"

    strength: Array = positive()
    period: Array = bounded(at_least=1.0)

    def init_server(self, w0):
        one, clients = 1 + 0 * w0[..., :1], self.population.clients
        relation = one * tf.eye(clients, dtype=w0.dtype) / clients
        return Server(0 * w0, relation, rho=one, round=0 * one)

    def init_client(self, w0):
        zero = 0 * w0[..., :1]
        duals = tf.repeat(zero, self.population.most_examples, axis=-1)
        return Client(0 * w0, 0 * w0, duals, own=zero + 1 / self.population.clients)

    def broadcast(self, server, coin):
        return Message(server.params, server.rho)

    def start(self, message, client, F):
        examples = tf.cast(F.examples, client.own.dtype) + 0 * client.own
        return Local(0 * client.sums, client.duals, examples)

    def step(self, local, k, message, client, f):
        z = f.signed_inputs(client.own.dtype)
        if z.shape[1] != 1:
            raise AtlasError(f"MOCHA takes one example in a local step, not {z.shape[1]}: set 'batch_size' to 1.")
        z, dual = z[:, 0], f.of_batch(local.duals)  # y x [C, d], y alpha [G, C, 1]
        spread = message.rho * client.own / self.strength
        margin = tf.reduce_sum(z * (client.params + spread * local.change), -1, keepdims=True)
        ascent = local.examples * (1 - margin) / (spread * tf.reduce_sum(z * z, -1, keepdims=True))
        new = tf.clip_by_value(dual + ascent, 0, 1)
        return Local(local.change + (new - dual) * z / local.examples, f.into_batch(local.duals, new), local.examples)

    def finish(self, local, k, message, client):
        return Update(local.change), client._replace(sums=client.sums + local.change, duals=local.duals)

    def update_server(self, server, mean, participation):
        return server._replace(round=server.round + 1)

    def synchronise(self, server, clients):
        params = self.primal(server.relation, clients.sums)
        due = tf.equal(tf.math.floormod(server.round, self.period), 0)
        relation = tf.cond(
            tf.reduce_any(due), lambda: tf.where(due, relation_of(params), server.relation), lambda: server.relation
        )
        params = self.primal(relation, clients.sums)
        own = tf.linalg.diag_part(relation)[..., None]
        rho = tf.reduce_max(tf.reduce_sum(tf.abs(relation), -1, keepdims=True) / own, 1, keepdims=True)
        mean = tf.reduce_mean(params, 1, keepdims=True)
        return Server(mean, relation, rho, server.round), clients._replace(params=params, own=own)

    def primal(self, relation: Array, sums: Array) -> Array:
        """w_t = sum_s Sigma_ts b_s / lambda, [G, T, d]."""
        return tf.matmul(relation, sums) / self.strength

    def personal_model(self, local, message, client, F):
        return client.params


def relation_of(params: Array) -> Array:
    """Sigma = (W'W)^1/2 / tr (W'W)^1/2 of the w_t [G, T, d], with eigenvalues LEAST at least; [G, T, T]."""
    products = tf.matmul(params, params, transpose_b=True)
    values, vectors = tf.linalg.eigh(tf.where(tf.math.is_finite(products), products, 0))
    roots = tf.sqrt(tf.maximum(values, LEAST))
    roots /= tf.reduce_sum(roots, -1, keepdims=True)
    return tf.matmul(vectors * roots[:, None], vectors, transpose_b=True)
