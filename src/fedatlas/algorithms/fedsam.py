"""Federated averaging of clients that minimise sharpness."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms._traits import PlainSteps
from fedatlas.algorithms.base import Array, bounded
from fedatlas.algorithms.fedavg import FedAvg
from fedatlas.lazy import tf


@dataclass(frozen=True)
class FedSAM(PlainSteps, FedAvg):
    """Every local step takes the gradient at the worst nearby point of the same batch.

    Qu, Li, Duan, Liu, Tang, Lu, ICML 2022 (arXiv 2206.02618), Algorithm 1.

    Symbols: w -> params, eta_l -> client_lr, eta_g -> server_lr.
    Differs from the paper: 1e-12 is added to the norm of the gradient that is divided by.
    """

    name = "FedSAM"
    citation = "Qu et al., ICML 2022, Algorithm 1"
    colour = "#65a30d"

    rho: Array = bounded(at_least=0.0)

    def step(self, w, k, message, client, f):
        ascent = f.gradient(w)
        worst = w + self.rho * ascent / (tf.norm(ascent, axis=-1, keepdims=True) + 1e-12)
        return w - self.client_lr * f.gradient(worst)
