"""The solution of the pooled problem, by the solver of the local problems."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms._traits import ExactLocal
from fedatlas.algorithms.base import Array, Server, bounded


@dataclass(frozen=True)
class CentralizedExact(ExactLocal):
    """Solves the problem of all training clients' examples together; a round goes on from where the last has ended.

    Where the loss has no gradient everywhere it is solved by its dual, to a gap that the solver knows; see
    `federated/solvers/dual.py`. With `strength`, strength/2 ||w||^2 is added.

    Symbols: strength of the squared norm -> strength.
    Differs from the paper: it is in none; it gives the reference solution where Newton's method has no Hessian.
    """

    name = "Centralized solution"
    citation = "Beck, Teboulle, SIAM J. Imaging Sci. 2009, on the dual problem"
    colour = "#334155"
    data = "pooled"
    adds_curvature = False

    strength: Array = bounded(at_least=0.0)

    def start(self, message, client, F):
        return F.minimise(message.params, strength=self.strength)

    def update_server(self, server, mean, participation):
        return Server(server.params + mean.delta)  # of one client
