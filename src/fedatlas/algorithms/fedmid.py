"""Federated mirror descent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms._traits import Composite
from fedatlas.algorithms.base import Array, Server, positive


class Update(NamedTuple):
    """delta [G, C, d] is the displacement of the model, elapsed [G, C, 1] the sum of the client learning rates."""

    delta: Array
    elapsed: Array


@dataclass(frozen=True)
class FedMiD(Composite):
    """Proximal SGD on the clients, and a proximal step on the server: the primal average of sparse models is dense.

    Yuan, Zaheer, Reddi, ICML 2021 (arXiv 2011.08474), Algorithm 2, with h = 1/2 ||.||^2.

    Symbols: w -> params, eta_c -> client_lr, eta_s -> server_lr, psi -> penalty, Delta -> delta, eta_c K -> elapsed.
    As printed, and in the authors' code, both sides shrink: with small steps and a finite psi it goes to the minimiser
    of F + 2 psi.

    Differs from the paper: with clients of unequal size, eta_c K is its mean over the cohort, as in the authors' code.
    """

    name = "FedMiD"
    citation = "Yuan, Zaheer, Reddi, ICML 2021, Algorithm 2"
    colour = "#d97706"

    client_lr: Array = positive()
    server_lr: Array = positive()

    def step(self, w, k, message, client, f):
        return self.penalty.prox(w - self.client_lr * f.gradient(w), self.client_lr)  # Alg. 2, lines 7-8

    def finish(self, w, k, message, client):
        return Update(w - message.params, self.client_lr * k), client

    def update_server(self, server, mean, participation):
        moved = server.params + self.server_lr * mean.delta
        return Server(self.penalty.prox(moved, self.server_lr * mean.elapsed))  # line 10
