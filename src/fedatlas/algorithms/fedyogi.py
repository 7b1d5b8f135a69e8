"""Yogi at the server."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms._mirror_descent import FixedRate, diagonal, moving_average, yogi
from fedatlas.algorithms.base import Array, bounded, positive


@dataclass(frozen=True)
class FedYogi(FixedRate):
    """FedAdam whose preconditioner forgets no faster than it learns.

    Reddi, Charles, Zaheer, Garrett, Rush, Konecny, Kumar, McMahan, ICLR 2021 (arXiv 2003.00295), Algorithm 2.

    Symbols: w -> params, Delta -> delta, s -> squares, v -> direction, eta_l -> client_lr, eta_g -> server_lr,
    epsilon -> epsilon, beta_1 -> beta1, beta_2 -> beta2.
    Differs from the paper: s_{-1} = 0, as of FedAdam and FedAdagrad here.
    """

    name = "FedYogi"
    citation = "Reddi et al., ICLR 2021"
    colour = "#b45309"

    client_lr: Array = positive()
    server_lr: Array = positive()
    epsilon: Array = bounded(at_least=0.0)
    beta1: Array = bounded(at_least=0.0, below=1.0)
    beta2: Array = bounded(at_least=0.0, below=1.0)

    def accumulate(self, squares, delta):
        return yogi(squares, delta, self.beta2)

    def smooth(self, old, new):
        return moving_average(old, new, self.beta1)

    def geometry(self, squares):
        return diagonal(squares, self.epsilon)
