"""Federated Douglas-Rachford splitting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms._traits import Composite, ExactLocal
from fedatlas.algorithms.base import Array, Update, bounded, positive


class Server(NamedTuple):
    """params is xbar, centre xtilde, the mean of the clients' xhat_i; each [G, 1, d]."""

    params: Array
    centre: Array


class Message(NamedTuple):
    """params [G, 1, d] is xbar."""

    params: Array


class Client(NamedTuple):
    """params is x_i and shifted y_i, each [G, C, d]; xhat_i is 2 x_i - y_i."""

    params: Array
    shifted: Array


class Local(NamedTuple):
    """params is x_i^{k+1} and shifted y_i^{k+1}, each [G, C, d]."""

    params: Array
    shifted: Array


@dataclass(frozen=True)
class FedDR(ExactLocal, Composite):
    """Douglas-Rachford splitting between the clients' objectives and the penalty at the server.

    Tran-Dinh, Pham, Phan, Nguyen, NeurIPS 2021 (arXiv 2103.03452), Algorithm 1, with all clients in every round.

    Symbols: x_i -> params of a client, y_i -> shifted, xbar -> params of the server, xtilde -> centre, g -> penalty,
    eta -> eta, alpha -> alpha, xhat_i^{k+1} - xhat_i^k -> delta.
    Differs from the paper: round 0 is its initialisation (from x_i = y_i = xbar the step of y_i is none). Its theory
    has alpha < 2; with alpha = 2, Peaceman and Rachford's splitting, it converges where the objectives are strongly
    convex and smooth.
    """

    name = "FedDR"
    citation = "Tran-Dinh, Pham, Phan, Nguyen, NeurIPS 2021, Algorithm 1"
    colour = "#312e81"
    participation = "full"

    eta: Array = positive()
    alpha: Array = bounded(above=0.0, at_most=2.0)

    def init_server(self, w0):
        return Server(params=w0, centre=w0)

    def init_client(self, w0):
        return Client(params=w0, shifted=w0)

    def broadcast(self, server, coin):
        return Message(server.params)

    def start(self, message, client, F):
        y = client.shifted + self.alpha * (message.params - client.params)
        return Local(F.minimise(client.params, strength=1 / self.eta, centre=y), y)  # prox_{eta f_i}(y_i)

    def finish(self, local, k, message, client):
        before = 2 * client.params - client.shifted
        return Update(2 * local.params - local.shifted - before), Client(*local)

    def update_server(self, server, mean, participation):
        centre = server.centre + participation * mean.delta
        return Server(self.penalty.prox(centre, self.eta), centre)
