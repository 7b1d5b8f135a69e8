"""Federated averaging with client-level momentum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms.base import Algorithm, Array, bounded, positive
from fedatlas.algorithms.fedmid import Update


class Server(NamedTuple):
    """params [G, 1, d] is x_r, momentum [G, 1, d] is Delta_r."""

    params: Array
    momentum: Array


@dataclass(frozen=True)
class FedCM(Algorithm):
    """Every local step follows a mixture of the client's gradient and the last round's mean direction.

    Xu, Wang, Wang, Yao 2021 (arXiv 2106.10874), Algorithm 1.

    Symbols: x -> params, Delta -> momentum, eta_l -> client_lr, eta_g / (eta_l K) -> server_lr, eta_l K -> elapsed.
    Differs from the paper: eta_g is given in units of eta_l K, so that server_lr 1 is averaging, and alpha 1 FedAvg.
    """

    name = "FedCM"
    citation = "Xu et al. 2021, arXiv 2106.10874, Algorithm 1"
    colour = "#166534"

    client_lr: Array = positive()
    server_lr: Array = positive()
    alpha: Array = bounded(above=0.0, at_most=1.0)

    def init_server(self, w0):
        return Server(params=w0, momentum=0 * w0)

    def step(self, x, k, message, client, f):
        return x - self.client_lr * (self.alpha * f.gradient(x) + (1 - self.alpha) * message.momentum)

    def finish(self, x, k, message, client):
        return Update(x - message.params, self.client_lr * k), client

    def update_server(self, server, mean, participation):
        return Server(server.params + self.server_lr * mean.delta, -mean.delta / mean.elapsed)
