"""Federated primal-dual optimisation that communicates more and more often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fedatlas.algorithms.base import Array, positive
from fedatlas.algorithms.fedpd import FedPD


@dataclass(frozen=True)
class FedPDDiminishing(FedPD):
    """FedPD that skips the communication after round r = 1, 2, ... with the probability 1 - r / T.

    Zhang, Hong, Dhople, Yin, Liu, FedPD (arXiv 2005.11418): the "p = (T - r) / T" of the authors' code
    (564612540/FedPD, Matlab/FedPD_v2).

    Symbols: as FedPD; T -> horizon.
    Differs from the paper: it has a constant p only.
    """

    name = "FedPD (p falls)"
    citation = "Zhang, Hong, Dhople, Yin, Liu, IEEE TSP 2021, the authors' code"
    colour = "#ec4899"

    skip: ClassVar[None] = None  # the horizon stands in its place
    horizon: Array = positive()

    def skipping(self, server):
        return 1 - server.round / self.horizon
