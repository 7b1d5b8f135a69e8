"""FedDuA in the geometry of an entropy."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms._geometry import HyperbolicEntropy
from fedatlas.algorithms._mirror_descent import MirrorDescent, minimax
from fedatlas.algorithms.base import Array, bounded, positive


@dataclass(frozen=True)
class FedDuAHypentropy(MirrorDescent):
    """FedDuA for a distance that is not quadratic: small weights move little, large ones in proportion.

    Takakura, Liew, Hasegawa 2025 (arXiv 2505.11126), section 3, whose step is the root of an equation then; with the
    hyperbolic entropy of Ghai, Hazan, Singer, ALT 2020 (arXiv 1902.01903).

    Symbols: w -> params, Delta -> delta, m -> bound, eta_l -> client_lr, epsilon_g -> eps_g, beta of the entropy ->
    width.
    Differs from the paper: it runs quadratic distances only.
    """

    name = "FedDuA, hyperbolic entropy"
    citation = "Takakura et al. 2025, arXiv 2505.11126, section 3"
    colour = "#0891b2"
    averages = True

    client_lr: Array = positive()
    eps_g: Array = bounded(at_least=0.0)
    width: Array = positive()

    def geometry(self, squares):
        return HyperbolicEntropy(self.width)

    def rate(self, psi, w, v, m):
        return minimax(psi, w, v, m, self.eps_g)
