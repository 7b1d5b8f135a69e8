"""FedExPM that reports its last model."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms.fedexpm import FedExPM


@dataclass(frozen=True)
class FedExPMLast(FedExPM):
    """FedExPM without the mean of the last two models, which it reports against the oscillation of its step.

    Takakura, Liew, Hasegawa 2025 (arXiv 2505.11126), section 5, of which this is the ablation.

    Symbols: as FedExPM.
    Differs from the paper: there, the mean of the last two models is reported.
    """

    name = "FedExPM, last model"
    citation = "Takakura et al. 2025, section 2"
    colour = "#7dd3fc"
    averages = False
