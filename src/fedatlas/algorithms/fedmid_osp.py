"""Federated mirror descent with only server proximal steps."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms.fedmid import FedMiD


@dataclass(frozen=True)
class FedMiDOSP(FedMiD):
    """FedMiD whose clients run plain SGD; only the server proximates.

    Yuan, Zaheer, Reddi, ICML 2021 (arXiv 2011.08474), Algorithm 4.

    Symbols: as FedMiD.
    Differs from the paper: as FedMiD.
    """

    name = "FedMiD-OSP"
    citation = "Yuan, Zaheer, Reddi, ICML 2021, Algorithm 4"
    colour = "#b45597"

    def step(self, w, k, message, client, f):
        return w - self.client_lr * f.gradient(w)  # Alg. 4, line 8
