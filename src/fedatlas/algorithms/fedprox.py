"""Federated optimisation with a proximal term in the local objectives."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms._steps import proximal_step
from fedatlas.algorithms.base import Array, bounded
from fedatlas.algorithms.fedavg import FedAvg


@dataclass(frozen=True)
class FedProx(FedAvg):
    """FedAvg whose clients descend f_i(w) + mu/2 ||w - w_t||^2, so that they stay near the server's model.

    Li, Sahu, Zaheer, Sanjabi, Talwalkar, Smith, MLSys 2020 (arXiv 1812.06127), Algorithm 2, with SGD as local solver.

    Symbols: w -> params, mu -> mu, eta -> client_lr, Delta -> delta.
    Differs from the paper: nothing with 1 as server_lr.
    """

    name = "FedProx"
    citation = "Li et al., MLSys 2020, Algorithm 2"
    colour = "#16a34a"

    mu: Array = bounded(at_least=0.0)

    def step(self, w, k, message, client, f):
        return proximal_step(w, self.client_lr, f, self.mu, message.params)
