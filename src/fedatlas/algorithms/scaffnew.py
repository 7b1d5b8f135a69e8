"""Scaffnew: local steps with control variates and communication at random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms._traits import OwnSteps, PlainSteps
from fedatlas.algorithms.base import Array, Server, bounded, positive
from fedatlas.lazy import tf


class Message(NamedTuple):
    """params [G, 1, d] is the mean of the x_i, steps [G, 1, 1] how many local steps come before the next head."""

    params: Array
    steps: Array


class Client(NamedTuple):
    """params [G, C, d] is x_i, that is what was sent last, control [G, C, d] is h_i before the answer to it."""

    params: Array
    control: Array


class Update(NamedTuple):
    """xhat_i [G, C, d]."""

    params: Array


@dataclass(frozen=True)
class Scaffnew(PlainSteps, OwnSteps):
    """Shifted gradient steps on the clients; the coin that calls for the mean also corrects the shifts.

    Mishchenko, Malinovsky, Stich, Richtarik, ICML 2022 (arXiv 2202.09357), Algorithm 2; in theory gamma <= 1 / L
    and p = 1 / sqrt(kappa).

    Symbols: x -> params, h -> control, p -> probability.
    Differs from the paper: a round is one communication, after K local steps; K - 1 is the number of tails before a
    head, drawn from the round's coin, and the same for all clients. A client updates h_i when the mean has come.
    """

    name = "Scaffnew"
    citation = "Mishchenko et al., ICML 2022, Algorithm 2"
    colour = "#0e7490"
    participation = "full"

    gamma: Array = positive()
    probability: Array = bounded(above=0.0, at_most=1.0)

    def init_client(self, w0):
        return Client(params=w0, control=0 * w0)

    def broadcast(self, server, coin):
        tails = tf.floor(tf.math.log1p(-coin) / tf.math.log1p(-self.probability))  # 0 where p = 1: log(0) is -inf
        return Message(server.params, 1 + tails)

    def local_steps(self, message, steps):
        return message.steps

    def start(self, message, client, F):
        control = client.control + self.probability / self.gamma * (message.params - client.params)
        return Client(message.params, control)

    def step(self, local, k, message, client, f):
        x, h = local
        return Client(x - self.gamma * (f.gradient(x) - h), h)

    def finish(self, local, k, message, client):
        return Update(local.params), local

    def update_server(self, server, mean, participation):
        return Server(mean.params)  # the h_i add up to 0
