"""FedProx with exact local solutions."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms._traits import ExactLocal
from fedatlas.algorithms.base import Array, Server, positive


@dataclass(frozen=True)
class FedProxExact(ExactLocal):
    """The server averages what minimises f_i(w) + mu/2 ||w - w_t||^2 on every client.

    Li, Sahu, Zaheer, Sanjabi, Talwalkar, Smith, MLSys 2020 (arXiv 1812.06127), Algorithm 2 with gamma = 0.

    Symbols: w -> params, mu -> mu, Delta -> delta.
    Differs from the paper: nothing.
    """

    name = "FedProx (exact)"
    citation = "Li et al., MLSys 2020, Algorithm 2"
    colour = "#4d7c0f"

    mu: Array = positive()

    def start(self, message, client, F):
        return F.minimise(message.params, strength=self.mu, centre=message.params)

    def update_server(self, server, mean, participation):
        return Server(server.params + mean.delta)
