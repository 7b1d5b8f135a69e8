"""Federated averaging with a client and a server learning rate."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms.base import Algorithm, Array, Server, positive


@dataclass(frozen=True)
class FedAvg(Algorithm):
    """Local SGD from the server's model; the server steps along the mean displacement.

    McMahan, Moore, Ramage, Hampson, Aguera y Arcas, AISTATS 2017; with a server learning rate as in Yuan, Zaheer,
    Reddi, ICML 2021 (arXiv 2011.08474), Algorithm 1.

    Symbols: w -> params, eta_c -> client_lr, eta_s -> server_lr, Delta -> delta.
    Differs from the paper: nothing.
    """

    name = "FedAvg"
    citation = "McMahan et al., AISTATS 2017"
    colour = "#6b7280"

    client_lr: Array = positive()
    server_lr: Array = positive()

    def step(self, w, k, message, client, f):
        return w - self.client_lr * f.gradient(w)

    def update_server(self, server, mean, participation):
        return Server(server.params + self.server_lr * mean.delta)
