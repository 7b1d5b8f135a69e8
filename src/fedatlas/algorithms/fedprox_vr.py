"""FedProx with variance-reduced local steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms._traits import RecursiveGradient
from fedatlas.algorithms.base import Array
from fedatlas.algorithms.fedprox import FedProx


class Local(NamedTuple):
    """params is x^q and gradient g^q, each [G, C, d]."""

    params: Array
    gradient: Array


@dataclass(frozen=True)
class FedProxVR(RecursiveGradient, FedProx):
    """FedProx along a recursive gradient that is computed in full when a round begins.

    The FedProx of Zhang, Hong, Dhople, Yin, Liu, FedPD (arXiv 2005.11418), section 4: "we solve the local problem using
    variance reduction"; the recursion is that of its Algorithm 4.

    Symbols: x -> params, g -> gradient, rho -> mu, eta_1 -> client_lr.
    Differs from the paper: it does not say where a round starts; here at x_0, in the authors' code at the client's own
    x_i. 1 as server_lr is its plain average.
    """

    name = "FedProx-VR"
    citation = "Zhang, Hong, Dhople, Yin, Liu, IEEE TSP 2021, section 4"
    colour = "#15803d"

    def start(self, message, client, F):
        x = message.params
        return Local(x, F.gradient(x))

    def step(self, local, k, message, client, f):
        x, g = local
        new = x - self.client_lr * (g + self.mu * (x - message.params))
        return Local(new, g + f.gradient(new) - f.gradient(x))

    def finish(self, local, k, message, client):
        return super().finish(local.params, k, message, client)
