"""Federated averaging with an extrapolated step."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms._mirror_descent import MirrorDescent, minimax
from fedatlas.algorithms.base import Array, bounded, positive


@dataclass(frozen=True)
class FedExP(MirrorDescent):
    """FedAvg whose step is as large as the displacements of the clients differ.

    Jhunjhunwala, Wang, Joshi, ICLR 2023 (arXiv 2301.09604), in the form of Takakura et al. 2025, section 2.

    Symbols: w -> params, Delta -> delta, m -> bound, eta_l -> client_lr, epsilon_g -> eps_g.
    Differs from the paper: the original takes no step below 1; Takakura et al. leave that out.
    """

    name = "FedExP"
    citation = "Jhunjhunwala et al., ICLR 2023"
    colour = "#2563eb"
    averages = True

    client_lr: Array = positive()
    eps_g: Array = bounded(at_least=0.0)

    def rate(self, psi, w, v, m):
        return minimax(psi, w, v, m, self.eps_g)
