"""Federated primal-dual optimisation with variance-reduced steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms._primal_dual import ConstantSkip
from fedatlas.algorithms._traits import RecursiveGradient
from fedatlas.algorithms.base import Array, bounded, positive


class Client(NamedTuple):
    """params is x_i, proposal x_{0,i}^+, dual lambda_i and gradient g_i, each [G, C, d]; round [G, C, 1] is r."""

    params: Array
    proposal: Array
    dual: Array
    gradient: Array
    round: Array


class Local(NamedTuple):
    """params is x_i^{r,q} and gradient g_i^{r,q}, each [G, C, d]."""

    params: Array
    gradient: Array


@dataclass(frozen=True)
class FedPDVR(RecursiveGradient, ConstantSkip):
    """Clients take linearised proximal steps along a recursive gradient that is computed in full every I rounds.

    Zhang, Hong, Dhople, Yin, Liu, FedPD, IEEE TSP 2021 (arXiv 2005.11418), Algorithm 2 with Oracle II (Algorithm 4).

    Symbols: x_i -> params, x_{0,i}^+ -> proposal, lambda_i -> dual, g_i -> gradient, eta -> eta, gamma -> gamma,
    I -> period, p -> skip.
    Differs from the paper: as FedPD; the authors' code runs the limit of a large gamma, x_{0,i} - eta (g + lambda_i).
    """

    name = "FedPD-VR"
    citation = "Zhang, Hong, Dhople, Yin, Liu, IEEE TSP 2021, Algorithms 2 and 4"
    colour = "#6d28d9"

    gamma: Array = positive()
    period: Array = bounded(at_least=1.0)

    def init_client(self, w0):
        return Client(**super().init_client(w0)._asdict(), gradient=0 * w0, round=0 * w0[..., :1])

    def start(self, message, client, F):
        due = client.round % self.period < 1  # r mod I = 0
        return Local(client.params, F.gradient_where(client.params, due, client.gradient))

    def step(self, local, k, message, client, f):
        (x, g), eta, gamma = local, self.eta, self.gamma
        # argmin_u <g + lambda_i, u> + 1/(2 gamma) ||u - x||^2 + 1/(2 eta) ||u - x_{0,i}||^2
        pulled = self.anchor(message, client) - eta * (g + client.dual)
        new = (eta * x + gamma * pulled) / (eta + gamma)
        return Local(new, g + f.gradient(new) - f.gradient(x))

    def finish(self, local, k, message, client):
        update, new = super().finish(local.params, k, message, client)
        return update, Client(**new._asdict(), gradient=local.gradient, round=client.round + 1)
