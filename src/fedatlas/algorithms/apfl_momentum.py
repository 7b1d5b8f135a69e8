"""Adaptive personalised federated learning with momentum in both of a client's models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms._traits import Personal, PlainSteps
from fedatlas.algorithms.apfl import mixed
from fedatlas.algorithms.base import Array, Server, Update, bounded, positive
from fedatlas.lazy import tf


class Client(NamedTuple):
    """own [G, C, d] is v_i, share [G, C, 1] is alpha_i; pace and own_pace [G, C, d] are the velocities of w and v_i."""

    own: Array
    share: Array
    pace: Array
    own_pace: Array


class Local(NamedTuple):
    """params [G, C, d] is w_i; the others as in Client."""

    params: Array
    own: Array
    share: Array
    pace: Array
    own_pace: Array


@dataclass(frozen=True)
class APFLMomentum(PlainSteps, Personal):
    """APFL whose steps of w_i and of v_i are heavy-ball steps, with velocities that a client keeps.

    Deng, Kamani, Mahdavi 2020 (arXiv 2003.13461), Algorithm 1, with the optimiser of Marfoq, Neglia, Bellet, Kameni,
    Vidal, NeurIPS 2021 (FedEM, arXiv 2108.10252): SGD with momentum for both models.

    Symbols: as APFL; beta -> momentum, velocities -> pace, own_pace.
    Differs from the paper: with momentum 0, nothing with 1 as server_lr.
    """

    name = "APFL (momentum)"
    citation = "Deng, Kamani, Mahdavi 2020; optimiser of Marfoq et al., NeurIPS 2021"
    colour = "#0284c7"

    client_lr: Array = positive()
    server_lr: Array = positive()
    alpha: Array = bounded(at_least=0.0, at_most=1.0)
    adaptive: Array = bounded(at_least=0.0, at_most=1.0)
    momentum: Array = bounded(at_least=0.0, below=1.0)

    def init_client(self, w0):
        return Client(own=w0, share=self.alpha + 0 * w0[..., :1], pace=0 * w0, own_pace=0 * w0)

    def start(self, message, client, F):
        return Local(message.params, *client)

    def step(self, local, k, message, client, f):
        w, v, alpha, pace, own_pace = local
        gradient = f.gradient(mixed(local))
        pace = self.momentum * pace + f.gradient(w)
        own_pace = self.momentum * own_pace + alpha * gradient
        slope = tf.reduce_sum((v - w) * gradient, -1, keepdims=True)  # of f(vbar) by alpha
        moved = tf.clip_by_value(alpha - self.adaptive * self.client_lr * slope, 0, 1)
        share = tf.where(tf.equal(k, 0), moved, alpha)
        return Local(w - self.client_lr * pace, v - self.client_lr * own_pace, share, pace, own_pace)

    def finish(self, local, k, message, client):
        return Update(local.params - message.params), Client(*local[1:])

    def update_server(self, server, mean, participation):
        return Server(server.params + self.server_lr * mean.delta)

    def personal_model(self, local, message, client, F):
        return mixed(local)
