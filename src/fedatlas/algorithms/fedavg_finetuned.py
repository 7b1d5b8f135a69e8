"""Federated averaging, fine-tuned by every client before it uses the model."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms._traits import FineTuned
from fedatlas.algorithms.fedavg import FedAvg


@dataclass(frozen=True)
class FedAvgFinetuned(FineTuned, FedAvg):
    """FedAvg; a client's own model is what a round's local steps make of the server's, which they leave as it is.

    Jiang, Konecny, Rush, Kannan 2019 (arXiv 1909.12488), "FedAvg with local tuning" (FedAvg+) in Marfoq, Neglia,
    Bellet, Kameni, Vidal, NeurIPS 2021 (FedEM, arXiv 2108.10252), section 4, where it is one pass over the examples.

    Symbols: as FedAvg.
    Differs from the paper: momentum starts at rest when a client fine-tunes; the code of FedEM keeps what it had. The
    rate is then that of the first round, as in that code, whose schedule for tuning counts evaluations.
    """

    name = "FedAvg+"
    citation = "Jiang et al. 2019, arXiv 1909.12488"
    colour = "#1d4ed8"
