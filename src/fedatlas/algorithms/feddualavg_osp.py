"""Federated dual averaging with only server proximal steps."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms.feddualavg import FedDualAvg


@dataclass(frozen=True)
class FedDualAvgOSP(FedDualAvg):
    """FedDualAvg whose clients take the gradient at the dual iterate itself; only the server proximates.

    Yuan, Zaheer, Reddi, ICML 2021 (arXiv 2011.08474), Algorithm 5. Its dual converges to the unpenalised solution
    while the server's shrinkage grows without bound, so the reported model goes to zero in the end.

    Symbols: as FedDualAvg.
    Differs from the paper: as FedDualAvg.
    """

    name = "FedDualAvg-OSP"
    citation = "Yuan, Zaheer, Reddi, ICML 2021, Algorithm 5"
    colour = "#0d9488"

    def step(self, z, k, message, client, f):
        return z - self.client_lr * f.gradient(z)  # Alg. 5, lines 8-10
