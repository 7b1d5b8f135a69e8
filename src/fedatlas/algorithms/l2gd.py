"""Local models that a coin draws towards their mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms._own_models import OwnModels
from fedatlas.algorithms._steps import sgd_step
from fedatlas.algorithms._traits import OwnSteps, SkipsCommunication
from fedatlas.algorithms.base import Array, bounded, positive
from fedatlas.lazy import tf


class Message(NamedTuple):
    """params [G, 1, d] is the mean of the x_i, heads [G, 1, 1] is 1 where they are drawn towards it, else 0."""

    params: Array
    heads: Array


@dataclass(frozen=True)
class L2GD(OwnSteps, SkipsCommunication, OwnModels):
    """Either all clients take a gradient step, or all models move towards their mean, as a shared coin falls.

    Hanzely, Richtarik 2020 (arXiv 2002.05516), Algorithm 1, with stochastic gradients where batches are not full; it
    minimises sum_i f_i(x_i) + strength/2 ||x_i - mean of the x_j||^2. The program of FedEM's authors says L2SGD.

    Symbols: x_i -> params, alpha / (n (1 - p)) -> client_lr, lambda -> strength, p -> probability, xi -> heads.
    Differs from the paper: a tail is a round of local steps, as many as the experiment says; in the paper, one. Every
    head costs a communication; in the paper one that follows a head sends nothing, since the mean has not moved.
    """

    name = "L2GD"
    citation = "Hanzely, Richtárik 2020, arXiv 2002.05516, Algorithm 1"
    colour = "#6f7d00"
    participation = "full"

    client_lr: Array = positive()
    strength: Array = bounded(at_least=0.0)
    probability: Array = bounded(above=0.0, below=1.0)

    def broadcast(self, server, coin):
        return Message(server.params, tf.cast(coin < self.probability, coin.dtype))

    def communicated(self, message):
        return message.heads

    def local_steps(self, message, steps):
        return (1 - message.heads) * steps

    def start(self, message, client, F):
        step = self.client_lr * (1 - self.probability)  # alpha / n
        pull = message.heads * step * self.strength / self.probability
        return client.params - pull * (client.params - message.params)

    def step(self, x, k, message, client, f):
        return sgd_step(x, self.client_lr, f)

    def personal_model(self, x, message, client, F):
        return client.params
