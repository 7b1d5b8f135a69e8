"""A baseline: one client on its own."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms.centralized import Centralized


@dataclass(frozen=True)
class SingleClient(Centralized):
    """Proximal (stochastic) gradient on the examples of the first training client alone; a round is an epoch.

    The baseline "local" of Yuan, Zaheer, Reddi, ICML 2021 (arXiv 2011.08474), section A.4.

    Symbols: as Centralized.
    Differs from the paper: the paper does not say which client; here it is the first.
    """

    name = "single client"
    citation = "Yuan, Zaheer, Reddi, ICML 2021, section A.4"
    colour = "#9f5f3f"
    data = "single"
