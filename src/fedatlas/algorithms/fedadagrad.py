"""Adagrad at the server."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms._mirror_descent import FixedRate, adagrad, diagonal
from fedatlas.algorithms.base import Array, bounded, positive


@dataclass(frozen=True)
class FedAdagrad(FixedRate):
    """FedAvg whose server steps along the mean displacement as Adagrad along a gradient.

    Reddi, Charles, Zaheer, Garrett, Rush, Konecny, Kumar, McMahan, ICLR 2021 (arXiv 2003.00295), Algorithm 2.

    Symbols: w -> params, Delta -> delta, s -> squares, eta_l -> client_lr, eta_g -> server_lr, epsilon -> epsilon.
    Differs from the paper: s_{-1} = 0, as in Takakura et al. 2025.
    """

    name = "FedAdagrad"
    citation = "Reddi et al., ICLR 2021"
    colour = "#e11d48"

    client_lr: Array = positive()
    server_lr: Array = positive()
    epsilon: Array = bounded(at_least=0.0)

    def accumulate(self, squares, delta):
        return adagrad(squares, delta)

    def geometry(self, squares):
        return diagonal(squares, self.epsilon)
