"""Expectation-maximisation over clients that mix a few shared models in proportions of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from fedatlas.algorithms.base import Algorithm, Array, Objective, Server, Update, bounded, positive
from fedatlas.lazy import tf


class Client(NamedTuple):
    """weights [G, C, M] is pi_t."""

    weights: Array


class Local(NamedTuple):
    """The components' parameters theta [G, C, M d], q [G, C, M, examples] of the round, and the new pi [G, C, M]."""

    theta: Array
    q: Array
    weights: Array


@dataclass(frozen=True)
class FedEM(Algorithm):
    """An E-step of every client on the shared components, then local SGD of each component on re-weighted examples.

    Marfoq, Neglia, Bellet, Kameni, Vidal, NeurIPS 2021 (arXiv 2108.10252), Algorithms 1 and 2. It ignores the penalty.
    The problem is a mixture: (theta_1, ..., theta_M, pi), of which the server keeps the first parts.

    Symbols: theta_m -> theta, pi_t -> weights, q_t -> q, eta -> client_lr.
    Differs from the paper: pi_t starts uniform and a step is along the mean over the batch, not the sum, both as in the
    authors' code. `stale` = 0 averages over the clients of the round; 1 as the code, over all clients, of whom those
    that are not in the round hold the last model.
    """

    name = "FedEM"
    citation = "Marfoq et al., NeurIPS 2021, Algorithm 1"
    colour = "#9f1239"
    mixes = True

    client_lr: Array = positive()
    stale: Array = bounded(at_least=0.0, at_most=1.0)

    @property
    def components(self) -> int:
        """M; the weights are the last block of a mixture's parameters."""
        return self.penalty.blocks[-1].size

    def init_client(self, w0):
        return Client(w0[..., -self.components :])

    def start(self, message, client, F):
        theta = message.params[..., : -self.components]
        log_joint = tf.math.log(client.weights)[..., None] - F.component_losses(theta)
        q = tf.nn.softmax(log_joint, axis=2)  # E-step, equation 8
        weights = tf.where(F.examples > 0, F.mean(q), client.weights)  # M-step of pi, equation 9
        return Local(theta, q, weights)

    def step(self, local, k, message, client, f):
        gradient = f.component_gradient(local.theta, f.of_batch(local.q))
        return local._replace(theta=local.theta - self.client_lr * gradient)  # M-step of theta, equation 10

    def finish(self, local, k, message, client):
        return Update(local.theta - message.params[..., : -self.components]), Client(local.weights)

    def update_server(self, server, mean, participation):
        share = 1 - self.stale * (1 - participation)
        unchanged = tf.zeros_like(server.params[..., -self.components :])
        return Server(server.params + tf.concat([share * mean.delta, unchanged], -1))

    def personal(self, local: Local, message: Any, client: Any, F: Objective) -> Array:
        return tf.concat([local.theta, local.weights], -1)
