"""FedDuA with Adagrad's preconditioner."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms._mirror_descent import MirrorDescent, adagrad, diagonal, minimax
from fedatlas.algorithms.base import Array, bounded, positive


@dataclass(frozen=True)
class FedDuAdagrad(MirrorDescent):
    """FedAdagrad whose step is minimax optimal for the distance of its preconditioner.

    Takakura, Liew, Hasegawa 2025 (arXiv 2505.11126), Algorithm 1.

    Symbols: w -> params, Delta -> delta, s -> squares, m -> bound, eta_l -> client_lr, epsilon_g -> eps_g, epsilon
    -> epsilon.
    Differs from the paper: nothing; 0 / 0 is 0 in a coordinate that no client has moved.
    """

    name = "FedDuAdagrad"
    citation = "Takakura et al. 2025, arXiv 2505.11126, Algorithm 1"
    colour = "#16a085"
    averages = True

    client_lr: Array = positive()
    eps_g: Array = bounded(at_least=0.0)
    epsilon: Array = bounded(at_least=0.0)

    def accumulate(self, squares, delta):
        return adagrad(squares, delta)

    def geometry(self, squares):
        return diagonal(squares, self.epsilon)

    def rate(self, psi, w, v, m):
        return minimax(psi, w, v, m, self.eps_g)
