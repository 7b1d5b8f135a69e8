"""FedDuA with Adagrad's preconditioner."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms.base import Array, bounded, positive
from fedatlas.algorithms.mirror_descent import MirrorDescent, adagrad, diagonal, minimax


@dataclass(frozen=True)
class FedDuAdagrad(MirrorDescent):
    """FedAdagrad whose step is minimax optimal for the distance of its preconditioner.

    Takakura, Liew, Hasegawa 2025 (arXiv 2505.11126), Algorithm 1. It ignores the penalty.

    Symbols: w -> params, Delta -> delta, s -> squares, m -> bound, eta_l -> client_lr, epsilon_g -> eps_g, epsilon
    -> epsilon.
    Differs from the paper: nothing; 0 / 0 is 0 in a coordinate that no client has moved.
    """

    name = "FedDuAdagrad"
    citation = "Takakura et al. 2025, arXiv 2505.11126, Algorithm 1"
    colour = "#16a085"
    averages = True
    accumulate, geometry, rate = adagrad, diagonal, minimax

    client_lr: Array = positive()
    eps_g: Array = bounded(at_least=0.0)
    epsilon: Array = bounded(at_least=0.0)
