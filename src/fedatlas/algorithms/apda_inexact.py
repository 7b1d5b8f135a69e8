"""The accelerated primal-dual algorithm with inexact local steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms._traits import ExactLocal
from fedatlas.algorithms.base import Array, positive
from fedatlas.lazy import tf


class Server(NamedTuple):
    """params [G, 1, d] is the mean of the x_i, sent [G, 1, d] that of the m_i."""

    params: Array
    sent: Array


class Sent(NamedTuple):
    """m_i [G, C, d], or the mean of all m_i [G, 1, d]."""

    sent: Array


class Client(NamedTuple):
    """params is x_i, dual is h_i before the answer to m_i, and sent is m_i; each [G, C, d]."""

    params: Array
    dual: Array
    sent: Array


@dataclass(frozen=True)
class APDAInexact(ExactLocal):
    """Proximal steps on the clients, and extrapolated dual ascent on the constraint that all models are the same.

    A reconstruction of APDA-Inexact: Sadiev, Kovalev, Richtarik, NeurIPS 2022 (arXiv 2207.03957), in consensus form,
    where the constraint matrix is the projection I - 11'/N. eta_y = 1 / (32 eta_x) and
    theta = max(2 / (2 + mu eta_x), 1 - beta_y eta_y) are those of Park, Xu 2023 (DualFL, arXiv 2305.10294), Table 2.

    Symbols: x -> params, h -> dual, m -> sent, uhat -> found, hbar -> ahead, theta -> extrapolation.
    Differs from the paper: the text of the paper was not at hand, so that the update is ours (it converges linearly
    to the optimum). The local problem is solved by the experiment's solver instead of by a number of gradient steps,
    as in Park and Xu. The server gets only the m_i and follows the mean of the x_i by means of theirs.
    """

    name = "APDA-Inexact"
    citation = "Sadiev, Kovalev, Richtárik, NeurIPS 2022 (reconstruction)"
    colour = "#7c3aed"
    participation = "full"

    eta_x: Array = positive()
    beta_y: Array = positive()
    mu: Array = positive()

    @property
    def eta_y(self) -> Array:
        return 1 / (32 * self.eta_x)

    @property
    def extrapolation(self) -> Array:
        return tf.maximum(2 / (2 + self.mu * self.eta_x), 1 - self.beta_y * self.eta_y)

    def init_server(self, w0):
        return Server(params=w0, sent=w0)

    def init_client(self, w0):
        return Client(params=w0, dual=0 * w0, sent=w0)

    def broadcast(self, server, coin):
        return Sent(server.sent)

    def start(self, message, client, F):
        x, dual = client.params, client.dual + self.eta_y * (client.sent - message.sent)  # h+ of the round before
        ahead = dual + self.extrapolation * (dual - client.dual)
        found = F.minimise(x, linear=ahead, strength=1 / self.eta_x, centre=x)
        gradient = F.gradient(found)
        x = x - self.eta_x * (gradient + ahead)
        return Client(x, dual, sent=x - self.beta_y * (dual + gradient))

    def finish(self, local, k, message, client):
        return Sent(local.sent), local

    def update_server(self, server, mean, participation):
        gradient = (server.params - mean.sent) / (self.eta_x + self.beta_y)  # their mean, as the h_i add up to 0
        return Server(server.params - self.eta_x * gradient, mean.sent)
