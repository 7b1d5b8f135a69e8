"""Federated learning by dynamic regularisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms._traits import ExactLocal
from fedatlas.algorithms.base import Array, positive


class Server(NamedTuple):
    """params [G, 1, d] is theta, drift [G, 1, d] is h."""

    params: Array
    drift: Array


class Message(NamedTuple):
    """params [G, 1, d] is theta^{t-1}."""

    params: Array


class Client(NamedTuple):
    """gradient [G, C, d] is the gradient of f_k at the client's last solution."""

    gradient: Array


@dataclass(frozen=True)
class FedDyn(ExactLocal):
    """Clients add to their objectives what makes the stationary points of all of them agree.

    Acar, Zhao, Matas Navarro, Mattina, Whatmough, Saligrama, ICLR 2021 (arXiv 2111.04263), Algorithm 1.

    Symbols: theta -> params, h -> drift, grad L_k(theta_k) -> gradient, alpha -> alpha, theta_k - theta^{t-1} -> delta.
    Differs from the paper: nothing.
    """

    name = "FedDyn"
    citation = "Acar et al., ICLR 2021, Algorithm 1"
    colour = "#059669"

    alpha: Array = positive()

    def init_server(self, w0):
        return Server(params=w0, drift=0 * w0)

    def init_client(self, w0):
        return Client(gradient=0 * w0)

    def broadcast(self, server, coin):
        return Message(server.params)

    def start(self, message, client, F):
        theta = message.params
        return F.minimise(theta, linear=-client.gradient, strength=self.alpha, centre=theta)

    def finish(self, theta, k, message, client):
        update, _ = super().finish(theta, k, message, client)
        return update, Client(client.gradient - self.alpha * update.delta)

    def update_server(self, server, mean, participation):
        drift = server.drift - self.alpha * participation * mean.delta
        return Server(server.params + mean.delta - drift / self.alpha, drift)
