"""Federated primal-dual optimisation with exact local solutions."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms._primal_dual import ConstantSkip
from fedatlas.algorithms._traits import ExactLocal


@dataclass(frozen=True)
class FedPDExact(ExactLocal, ConstantSkip):
    """Clients minimise their augmented Lagrangians; one coin per round says whether the server averages.

    Zhang, Hong, Dhople, Yin, Liu, FedPD (arXiv 2005.11418), Algorithm 2, with the exact solution of the local problem
    as its oracle: the FedPD of Park, Xu, DualFL (arXiv 2305.10294), section 7. Without skipping it is consensus ADMM.

    Symbols: x_i -> params, x_{0,i}^+ -> proposal, lambda_i -> dual, eta -> eta, p -> skip.
    Differs from the paper: the coin that ends round r is tossed when round r + 1 begins, and the reported model is the
    mean of the x_{0,i}, as in the authors' code: x_0 after a communication.
    """

    name = "FedPD (exact)"
    citation = "Zhang, Hong, Dhople, Yin, Liu, IEEE TSP 2021, Algorithm 2"
    colour = "#ea580c"

    def start(self, message, client, F):
        return F.minimise(client.params, linear=client.dual, strength=1 / self.eta, centre=self.anchor(message, client))
