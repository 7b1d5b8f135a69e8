"""Clients that are split into clusters as soon as their updates disagree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from fedatlas.algorithms import base
from fedatlas.algorithms._clustering import bisected, cosine_distances
from fedatlas.algorithms._traits import Personal, ServerMetrics, Synchronised
from fedatlas.algorithms.base import Array, Update, bounded, positive
from fedatlas.lazy import tf


class Server(NamedTuple):
    """params [G, 1, d] is the mean of the clients' models by n_t, clusters [G, 1, 1] how many there are."""

    params: Array
    clusters: Array


class Client(NamedTuple):
    """params [G, C, d] is the model of its cluster, update [G, C, d] its own U_t until the clients are synchronised.

    cluster [G, C, 1] is the number of the first client of its cluster, examples [G, C, 1] is n_t.
    """

    params: Array
    update: Array
    cluster: Array
    examples: Array


class Local(NamedTuple):
    """params [G, C, d] is theta_t, examples [G, C, 1] is n_t."""

    params: Array
    examples: Array


@dataclass(frozen=True)
class ClusteredFL(Synchronised, Personal, ServerMetrics):
    """FedAvg within clusters, of which those whose clients still move, but no longer together, are split in two.

    Sattler, Mueller, Samek, IEEE TNNLS 2021 (arXiv 1910.01991), Algorithm 3.

    Symbols: theta_c -> params, dW_t (U_t) -> update, c -> cluster, epsilon_1 -> tol1, epsilon_2 -> tol2.
    Differs from the paper: as in Marfoq et al., NeurIPS 2021 (FedEM, arXiv 2108.10252), a cluster of more than two
    clients is split by complete linkage of the cosine distances, in any round, and the mean of a cluster's models is
    weighted by the clients' sizes, as the reported mean of all models is. Clusters are named by clients; the code of
    both papers names the second split's by places within the first's.
    """

    name = "Clustered FL"
    citation = "Sattler, Müller, Samek, IEEE TNNLS 2021, Algorithm 3"
    colour = "#0f766e"
    weighting = "examples"
    server_names: ClassVar = ("clusters",)

    client_lr: Array = positive()
    tol1: Array = bounded(at_least=0.0)
    tol2: Array = bounded(at_least=0.0)

    def init_server(self, w0):
        return Server(w0, clusters=1 + 0 * w0[..., :1])

    def init_client(self, w0):
        return Client(params=w0, update=0 * w0, cluster=0 * w0[..., :1], examples=0 * w0[..., :1])

    def broadcast(self, server, coin):
        return base.Server(server.params)

    def start(self, message, client, F):
        return Local(client.params, tf.cast(F.examples, client.params.dtype) + 0 * client.examples)

    def step(self, local, k, message, client, f):
        return local._replace(params=local.params - self.client_lr * f.gradient(local.params))

    def finish(self, local, k, message, client):
        update = local.params - client.params
        return Update(update), client._replace(update=update, examples=local.examples)

    def update_server(self, server, mean, participation):
        return server._replace(params=server.params + mean.delta)

    def synchronise(self, server, clients):
        groups = self.regrouped(clients)
        models = clients.params + clients.update
        params = tf.map_fn(
            lambda each: mean_within(*each), (models, clients.examples, groups), fn_output_signature=models.dtype
        )
        cluster = tf.cast(groups, models.dtype)[..., None]
        names = tf.cast(tf.equal(groups, tf.range(groups.shape[1])), models.dtype)  # of clients that name a cluster
        total = tf.reduce_sum(clients.examples, 1, keepdims=True)
        mean = tf.reduce_sum(clients.examples / tf.maximum(total, 1) * params, 1, keepdims=True)
        clients = Client(params, tf.zeros_like(params), cluster, clients.examples)
        return Server(mean, tf.reduce_sum(names, 1)[:, None, None]), clients

    def regrouped(self, clients: Client) -> Array:
        """The number of each client's cluster after the splits of this round, [G, T]."""
        bounds = tf.concat([self.tol1, self.tol2], -1)[:, 0]
        groups = tf.cast(clients.cluster[..., 0], tf.int32)
        return tf.map_fn(
            lambda each: split(each[0], each[1], each[2], self.size),
            (groups, clients.update, bounds),
            fn_output_signature=tf.int32,
        )

    @staticmethod
    def size(updates: Array) -> Array:
        """||U_t|| for the rows of updates [T, d], which epsilon_2 bounds; [T]."""
        return tf.norm(updates, axis=-1)

    def server_metrics(self, server):
        return {"clusters": server.clusters}

    def personal_model(self, local, message, client, F):
        return local.params


def split(groups: Array, updates: Array, bounds: Array, size: Callable[[Array], Array]) -> Array:
    """The clusters [T] of clients with these updates [T, d] once more, split where the bounds (tol1, tol2) say so.

    Args:
        size: of updates [T, d], which tol2 bounds; [T].
    """
    number = groups.shape[0]
    together = tf.norm(tf.math.unsorted_segment_mean(updates, groups, number), axis=-1)
    alone = tf.math.unsorted_segment_max(size(updates), groups, number)
    large = tf.math.unsorted_segment_sum(tf.ones_like(groups), groups, number) > 2
    divided = (together < bounds[0]) & (alone > bounds[1]) & large
    return tf.cond(tf.reduce_any(divided), lambda: bisected(groups, cosine_distances(updates), divided), lambda: groups)


def mean_within(models: Array, weights: Array, groups: Array) -> Array:
    """The weighted mean of the models [T, d] of each client's cluster, [T, d]."""
    number = groups.shape[0]
    total = tf.math.unsorted_segment_sum(weights * models, groups, number)
    return tf.gather(total / tf.maximum(tf.math.unsorted_segment_sum(weights, groups, number), 1), groups)
