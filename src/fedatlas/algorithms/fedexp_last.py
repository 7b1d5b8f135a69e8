"""FedExP that reports its last model."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms.fedexp import FedExP


@dataclass(frozen=True)
class FedExPLast(FedExP):
    """FedExP without the mean of the last two models, which it reports against the oscillation of its step.

    Takakura, Liew, Hasegawa 2025 (arXiv 2505.11126), section 5, of which this is the ablation.

    Symbols: as FedExP.
    Differs from the paper: there, the mean of the last two models is reported.
    """

    name = "FedExP, last model"
    citation = "Jhunjhunwala et al., ICLR 2023"
    colour = "#93c5fd"
    averages = False
