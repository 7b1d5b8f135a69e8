"""Federated averaging on the composite objective by subgradients."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms._traits import Composite
from fedatlas.algorithms.fedavg import FedAvg


@dataclass(frozen=True)
class FedAvgSubgradient(Composite, FedAvg):
    """FedAvg that treats the penalty as a part of the loss and steps along a subgradient of both.

    Yuan, Zaheer, Reddi, ICML 2021 (arXiv 2011.08474), Figure 1, "FedAvg (subgradient)".

    Symbols: as FedAvg; psi -> penalty.
    Differs from the paper: the paper does not say at which point the subgradient is taken; here it is the current
    local iterate w_k. The authors' code takes it at the iterate after the SGD step.
    """

    name = "FedAvg (∂)"
    citation = "Yuan, Zaheer, Reddi, ICML 2021, Figure 1"
    colour = "#8c6d31"

    def step(self, w, k, message, client, f):
        return w - self.client_lr * (f.gradient(w) + self.penalty.subgradient(w))
