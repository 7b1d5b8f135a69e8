"""Federated primal-dual optimisation with (stochastic) gradient steps."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms._primal_dual import ConstantSkip
from fedatlas.algorithms.base import Array, Objective, positive


@dataclass(frozen=True)
class FedPD(ConstantSkip):
    """Clients step down their augmented Lagrangians: by GD with full batches, by SGD with smaller ones.

    Zhang, Hong, Dhople, Yin, Liu, FedPD (arXiv 2005.11418), Algorithm 2 with Oracle I (Algorithm 3).

    Symbols: x_i -> params, x_{0,i}^+ -> proposal, lambda_i -> dual, eta -> eta, eta_1 -> client_lr, p -> skip.
    Differs from the paper: the coin that ends round r is tossed when round r + 1 begins, and the reported model is the
    mean of the x_{0,i}, as in the authors' code.
    """

    name = "FedPD"
    citation = "Zhang, Hong, Dhople, Yin, Liu, IEEE TSP 2021, Algorithms 2 and 3"
    colour = "#dc2626"

    client_lr: Array = positive()

    def start(self, message, client, F):
        return client.params  # Alg. 3, initialisation: x_i^r, not x_0^r

    def step(self, x, k, message, client, f):
        return lagrangian_step(x, self.client_lr, f, client.dual, self.anchor(message, client), self.eta)


def lagrangian_step(x: Array, lr: Array, f: Objective, dual: Array, anchor: Array, eta: Array) -> Array:
    """A gradient step on f_i(x) + <lambda_i, x> + 1/(2 eta) ||x - x_{0,i}||^2, [G, C, d]."""
    pull = dual + (x - anchor) / eta
    return x - lr * (f.gradient(x) + pull)  # Alg. 3, options I and II
