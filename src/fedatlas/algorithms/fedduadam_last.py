"""FedDuAdam that reports its last model."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms.fedduadam import FedDuAdam


@dataclass(frozen=True)
class FedDuAdamLast(FedDuAdam):
    """FedDuAdam without the mean of the last two models, which it reports against the oscillation of its step.

    Takakura, Liew, Hasegawa 2025 (arXiv 2505.11126), section 5, of which this is the ablation.

    Symbols: as FedDuAdam.
    Differs from the paper: there, the mean of the last two models is reported.
    """

    name = "FedDuAdam, last model"
    citation = "Takakura et al. 2025, arXiv 2505.11126, Algorithm 1"
    colour = "#4d7c0f"
    averages = False
