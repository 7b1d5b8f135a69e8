"""Yogi at the server."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms.base import Array, bounded, positive
from fedatlas.algorithms.mirror_descent import MirrorDescent, diagonal, moving_average, yogi


@dataclass(frozen=True)
class FedYogi(MirrorDescent):
    """FedAdam whose preconditioner forgets no faster than it learns.

    Reddi, Charles, Zaheer, Garrett, Rush, Konecny, Kumar, McMahan, ICLR 2021 (arXiv 2003.00295), Algorithm 2. It
    ignores the penalty.

    Symbols: w -> params, Delta -> delta, s -> squares, v -> direction, eta_l -> client_lr, eta_g -> server_lr,
    epsilon -> epsilon, beta_1 -> beta1, beta_2 -> beta2.
    Differs from the paper: s_{-1} = 0, as of FedAdam and FedAdagrad here.
    """

    name = "FedYogi"
    citation = "Reddi et al., ICLR 2021"
    colour = "#c026d3"
    accumulate, smooth, geometry = yogi, moving_average, diagonal

    client_lr: Array = positive()
    server_lr: Array = positive()
    epsilon: Array = bounded(at_least=0.0)
    beta1: Array = bounded(at_least=0.0, below=1.0)
    beta2: Array = bounded(at_least=0.0, below=1.0)
