"""Federated primal-dual optimisation that communicates more and more often."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms._primal_dual import PrimalDual
from fedatlas.algorithms.base import Array, positive
from fedatlas.algorithms.fedpd import lagrangian_step


@dataclass(frozen=True)
class FedPDDiminishing(PrimalDual):
    """FedPD that skips the communication after round r = 1, 2, ... with the probability 1 - r / T.

    Zhang, Hong, Dhople, Yin, Liu, FedPD (arXiv 2005.11418): the "p = (T - r) / T" of the authors' code
    (564612540/FedPD, Matlab/FedPD_v2).

    Symbols: as FedPD; T -> horizon.
    Differs from the paper: it has a constant p only; the rest as FedPD.
    """

    name = "FedPD (p falls)"
    citation = "Zhang, Hong, Dhople, Yin, Liu, IEEE TSP 2021, the authors' code"
    colour = "#ec4899"

    client_lr: Array = positive()
    horizon: Array = positive()

    def skipping(self, server):
        return 1 - server.round / self.horizon

    def start(self, message, client, F):
        return client.params

    def step(self, x, k, message, client, f):
        return lagrangian_step(x, self.client_lr, f, client.dual, self.anchor(message, client), self.eta)
