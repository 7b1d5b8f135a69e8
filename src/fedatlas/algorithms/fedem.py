"""Expectation-maximisation over clients that mix a few shared models in proportions of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms._traits import MixtureLearner, MixtureObjective, Personal
from fedatlas.algorithms.base import Array, Server, Update, bounded, positive
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
class FedEM(MixtureLearner, Personal):
    """An E-step of every client on the shared components, then local SGD of each component on re-weighted examples.

    Marfoq, Neglia, Bellet, Kameni, Vidal, NeurIPS 2021 (arXiv 2108.10252), Algorithms 1 and 2.
    The problem is a mixture: (theta_1, ..., theta_M, pi), of which the server keeps the first parts.

    Symbols: theta_m -> theta, pi_t -> weights, q_t -> q, eta -> client_lr.
    Differs from the paper: pi_t starts uniform and a step is along the mean over the batch, not the sum, both as in the
    authors' code. `stale` = 0 averages over the clients of the round; 1 as the code, over all clients, of whom those
    that are not in the round hold the last model.
    """

    name = "FedEM"
    citation = "Marfoq et al., NeurIPS 2021, Algorithm 1"
    colour = "#9f1239"

    client_lr: Array = positive()
    stale: Array = bounded(at_least=0.0, at_most=1.0)

    def init_client(self, w0):
        return Client(self.split(w0)[1])

    def start(self, message, client, F):
        theta, _ = self.split(message.params)
        return e_step(theta, client.weights, F)

    def step(self, local, k, message, client, f):
        return m_step(local, self.client_lr, f)

    def finish(self, local, k, message, client):
        theta, _ = self.split(message.params)
        return Update(local.theta - theta), Client(local.weights)

    def update_server(self, server, mean, participation):
        share = 1 - self.stale * (1 - participation)
        unchanged = tf.zeros_like(self.split(server.params)[1])
        return Server(server.params + tf.concat([share * mean.delta, unchanged], -1))

    def personal_model(self, local, message, client, F):
        return tf.concat([local.theta, local.weights], -1)


def e_step(theta: Array, weights: Array, F: MixtureObjective) -> Local:
    """q of the components theta and the weights pi, and the pi that follow from it."""
    q = posterior(weights, F.component_losses(theta))
    return Local(theta, q, mean_posterior(q, weights, F))


def posterior(weights: Array, losses: Array) -> Array:
    """q [G, C, M, examples], from pi [G, C, M] and the components' losses [G, C, M, examples]."""
    return tf.nn.softmax(tf.math.log(weights)[..., None] - losses, axis=2)  # E-step, equation 8


def mean_posterior(q: Array, weights: Array, F: MixtureObjective) -> Array:
    """The new pi [G, C, M]; without examples they stay `weights`."""
    return tf.where(F.examples > 0, F.mean(q), weights)  # M-step of pi, equation 9


def m_step(local: Local, lr: Array, f: MixtureObjective) -> Local:
    """After a gradient step of the components on a batch."""
    gradient = f.component_gradient(local.theta, f.of_batch(local.q))
    return local._replace(theta=local.theta - lr * gradient)  # M-step of theta, equation 10
