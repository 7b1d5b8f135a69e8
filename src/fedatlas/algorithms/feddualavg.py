"""Federated dual averaging."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms._traits import Composite
from fedatlas.algorithms.base import Array, positive


class Server(NamedTuple):
    """dual [G, 1, d] is z_r, elapsed [G, 1, 1] the sum of eta_s eta_c K over the rounds so far."""

    dual: Array
    elapsed: Array


@dataclass(frozen=True)
class FedDualAvg(Composite):
    """Clients run dual averaging and the server averages duals, so that sparsity survives the mean.

    Yuan, Zaheer, Reddi, ICML 2021 (arXiv 2011.08474), Algorithm 3, with h = 1/2 ||.||^2, for which the mirror map
    grad(h + t psi)*(z) is prox_{t psi}(z).

    Symbols: z -> dual, w -> primal, eta_c -> client_lr, eta_s -> server_lr, psi -> penalty,
    eta_s eta_c r K -> elapsed.
    Differs from the paper: with clients of unequal size, eta_c K is its mean over the cohort, as in the authors' code.
    """

    name = "FedDualAvg"
    citation = "Yuan, Zaheer, Reddi, ICML 2021, Algorithm 3"
    colour = "#1d6fd1"

    client_lr: Array = positive()
    server_lr: Array = positive()

    def init_server(self, w0):
        return Server(dual=w0, elapsed=0 * w0[..., :1])  # z_0 = grad h(w_0) = w_0

    def start(self, message, client, F):
        return message.dual

    def step(self, z, k, message, client, f):
        primal = self.penalty.prox(z, message.elapsed + self.client_lr * k)  # Alg. 3, lines 8-9
        return z - self.client_lr * f.gradient(primal)  # lines 10-11

    def finish(self, z, k, message, client):
        return Server(z - message.dual, self.client_lr * k), client

    def update_server(self, server, mean, participation):
        return Server(  # line 13
            server.dual + self.server_lr * mean.dual, server.elapsed + self.server_lr * mean.elapsed
        )

    def model(self, server):
        return self.penalty.prox(server.dual, server.elapsed)  # line 14
