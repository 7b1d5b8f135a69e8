"""FedProx at the clients, FedDuA at the server."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms._steps import proximal_step
from fedatlas.algorithms.base import Array, bounded
from fedatlas.algorithms.fedduadagrad import FedDuAdagrad


@dataclass(frozen=True)
class FedProxFedDuA(FedDuAdagrad):
    """FedDuAdagrad whose clients descend f_i(w) + mu/2 ||w - w_t||^2.

    Takakura, Liew, Hasegawa 2025 (arXiv 2505.11126), appendix H.2.

    Symbols: w -> params, Delta -> delta, mu -> mu, eta_l -> client_lr, epsilon -> epsilon, epsilon_g -> eps_g.
    Differs from the paper: which FedDuA is at the server is not said there; here it is FedDuAdagrad.
    """

    name = "FedProx with FedDuA"
    citation = "Takakura et al. 2025, arXiv 2505.11126, appendix H.2"
    colour = "#854d0e"

    mu: Array = bounded(at_least=0.0)

    def step(self, w, k, message, client, f):
        return proximal_step(w, self.client_lr, f, self.mu, message.params)
