"""Dualized federated learning of problems that are not strongly convex."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms.dualfl import DualFL


@dataclass(frozen=True)
class DualFLRegularised(DualFL):
    """DualFL on the problem with alpha/2 ||theta||^2 added; what is reported is of the problem without.

    Park, Xu 2023 (arXiv 2305.10294), section 4: eq. 10 with nu = alpha, and rho = alpha / (L + alpha) in Theorem 4.3.

    Symbols: alpha -> nu; the rest as DualFL.
    Differs from the paper: as DualFL.
    """

    name = "DualFL, regularised"
    citation = "Park, Xu 2023, arXiv 2305.10294, Algorithm 1 and section 4"
    adds_curvature = True

    @property
    def regularisation(self):
        return self.nu
