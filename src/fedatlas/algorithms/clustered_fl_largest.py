"""Clusters that are split where a single parameter of a client still moves far."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms.clustered_fl import ClusteredFL
from fedatlas.lazy import tf


@dataclass(frozen=True)
class ClusteredFLLargest(ClusteredFL):
    """Clustered FL whose second bound is on the largest entry of the updates, not on their norm.

    Marfoq, Neglia, Bellet, Kameni, Vidal, NeurIPS 2021 (FedEM, arXiv 2108.10252), in their code: its norms run along
    an axis of length one, so that each is the absolute value of one parameter. Such clusters are split later.

    Symbols: as ClusteredFL.
    Differs from the paper: Sattler, Mueller, Samek, IEEE TNNLS 2021, Algorithm 3, bounds the norm.
    """

    name = "Clustered FL (largest entry)"
    citation = "Marfoq et al., NeurIPS 2021, authors' code"
    colour = "#115e59"

    @staticmethod
    def size(updates):
        return tf.reduce_max(tf.abs(updates), axis=-1)
