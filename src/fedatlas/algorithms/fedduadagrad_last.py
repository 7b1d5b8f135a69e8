"""FedDuAdagrad that reports its last model."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms.fedduadagrad import FedDuAdagrad


@dataclass(frozen=True)
class FedDuAdagradLast(FedDuAdagrad):
    """FedDuAdagrad without the mean of the last two models, which it reports against the oscillation of its step.

    Takakura, Liew, Hasegawa 2025 (arXiv 2505.11126), section 5, of which this is the ablation.

    Symbols: as FedDuAdagrad.
    Differs from the paper: there, the mean of the last two models is reported.
    """

    name = "FedDuAdagrad, last model"
    citation = "Takakura et al. 2025, arXiv 2505.11126, Algorithm 1"
    colour = "#84cc16"
    averages = False
