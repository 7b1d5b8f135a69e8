"""Personalised federated learning with Moreau envelopes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms._traits import MeteredObjective, Personal, PlainSteps
from fedatlas.algorithms.base import Array, Server, Update, bounded, positive
from fedatlas.lazy import tf


class Client(NamedTuple):
    """theta [G, C, d] is theta_i, the client's own model."""

    theta: Array


class Local(NamedTuple):
    """params [G, C, d] is w_i, theta [G, C, d] is theta_i(w_i)."""

    params: Array
    theta: Array


@dataclass(frozen=True)
class PFedMe(PlainSteps, Personal):
    """Local steps descend the Moreau envelope of f_i, of which the proximal point is the client's own model.

    Dinh, Tran, Nguyen, NeurIPS 2020 (arXiv 2006.08848), Algorithm 1. The envelope's proximal point on a batch is found
    by K gradient steps, from where the last one ended, and in a new round from w.

    Symbols: w -> params, theta_i -> theta, lambda -> strength, eta -> client_lr, beta -> beta, K -> inner_steps; its
    learning rate of the inner steps -> inner_lr.
    Differs from the paper: the inner problem is solved by a number of steps, not to an accuracy, as in the authors'
    code.
    """

    name = "pFedMe"
    citation = "Dinh, Tran, Nguyen, NeurIPS 2020, Algorithm 1"
    colour = "#993366"

    client_lr: Array = positive()
    inner_lr: Array = positive()
    inner_steps: Array = bounded(at_least=1.0)
    strength: Array = positive()
    beta: Array = positive()

    def init_client(self, w0):
        return Client(w0)

    def start(self, message, client, F):
        return Local(message.params, message.params)

    def step(self, local, k, message, client, f):
        w, theta = local.params, self.proximal_point(f, *local)
        return Local(w - self.client_lr * self.strength * (w - theta), theta)

    def proximal_point(self, f: MeteredObjective, w: Array, theta: Array) -> Array:
        """argmin_theta f(theta) + lambda/2 ||theta - w||^2, nearly; [G, C, d]."""

        def descend(i, theta):
            moved = theta - self.inner_lr * (f.gradient(theta) + self.strength * (theta - w))
            return i + 1, tf.where(i < self.inner_steps, moved, theta)

        most = tf.reduce_max(self.inner_steps)
        _, theta = tf.while_loop(lambda i, _: i < most, descend, (tf.zeros_like(most), theta))
        f.count(tf.cast(self.inner_steps - 1, tf.float64))  # the loop has counted one
        return theta

    def finish(self, local, k, message, client):
        return Update(local.params - message.params), Client(local.theta)

    def update_server(self, server, mean, participation):
        return Server(server.params + self.beta * mean.delta)

    def personal_model(self, local, message, client, F):
        return client.theta
