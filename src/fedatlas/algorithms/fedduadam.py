"""FedDuA with Adam's preconditioner and momentum."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms._mirror_descent import MirrorDescent, adam, diagonal, minimax, moving_average
from fedatlas.algorithms.base import Array, bounded, positive


@dataclass(frozen=True)
class FedDuAdam(MirrorDescent):
    """FedAdam whose step is minimax optimal for the distance of its preconditioner.

    Takakura, Liew, Hasegawa 2025 (arXiv 2505.11126), Algorithm 1.

    Symbols: w -> params, Delta -> delta, s -> squares, v -> direction, m -> bound, eta_l -> client_lr, epsilon_g ->
    eps_g, epsilon -> epsilon, beta_1 -> beta1, beta_2 -> beta2.
    Differs from the paper: nothing; 0 / 0 is 0 in a coordinate that no client has moved.
    """

    name = "FedDuAdam"
    citation = "Takakura et al. 2025, arXiv 2505.11126, Algorithm 1"
    colour = "#065f46"
    averages = True

    client_lr: Array = positive()
    eps_g: Array = bounded(at_least=0.0)
    epsilon: Array = bounded(at_least=0.0)
    beta1: Array = bounded(at_least=0.0, below=1.0)
    beta2: Array = bounded(at_least=0.0, below=1.0)

    def accumulate(self, squares, delta):
        return adam(squares, delta, self.beta2)

    def smooth(self, old, new):
        return moving_average(old, new, self.beta1)

    def geometry(self, squares):
        return diagonal(squares, self.epsilon)

    def rate(self, psi, w, v, m):
        return minimax(psi, w, v, m, self.eps_g)
