"""FedExP with momentum."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms._mirror_descent import MirrorDescent, minimax, moving_average
from fedatlas.algorithms.base import Array, bounded, positive


@dataclass(frozen=True)
class FedExPM(MirrorDescent):
    """FedExP along a moving average of the mean displacements.

    Jhunjhunwala, Wang, Joshi, ICLR 2023 (arXiv 2301.09604), in the form of Takakura et al. 2025, Theorem 3.3.

    Symbols: w -> params, Delta -> delta, v -> direction, m -> bound, eta_l -> client_lr, epsilon_g -> eps_g, beta_1
    -> beta1.
    Differs from the paper: the average is Takakura et al.'s, not the original's heavy ball.
    """

    name = "FedExPM"
    citation = "Jhunjhunwala et al., ICLR 2023, with momentum"
    colour = "#1e3a8a"
    averages = True

    client_lr: Array = positive()
    eps_g: Array = bounded(at_least=0.0)
    beta1: Array = bounded(at_least=0.0, below=1.0)

    def smooth(self, old, new):
        return moving_average(old, new, self.beta1)

    def rate(self, psi, w, v, m):
        return minimax(psi, w, v, m, self.eps_g)
