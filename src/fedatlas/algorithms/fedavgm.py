"""Federated averaging with momentum at the server."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms._mirror_descent import FixedRate, heavy_ball
from fedatlas.algorithms.base import Array, bounded, positive


@dataclass(frozen=True)
class FedAvgM(FixedRate):
    """FedAvg whose server steps along a heavy-ball average of the mean displacements.

    Hsu, Qi, Brown 2019 (arXiv 1909.06335), section 3.

    Symbols: w -> params, Delta -> delta, v -> direction, eta_l -> client_lr, eta_g -> server_lr, beta_1 -> beta1.
    Differs from the paper: nothing; FedExP's authors run it in this form.
    """

    name = "FedAvgM"
    citation = "Hsu et al. 2019, arXiv 1909.06335"
    colour = "#292524"

    client_lr: Array = positive()
    server_lr: Array = positive()
    beta1: Array = bounded(at_least=0.0, below=1.0)

    def smooth(self, old, new):
        return heavy_ball(old, new, self.beta1)
