"""Dualized federated learning whose local solver stops at the gap that its theorem asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms import dualfl
from fedatlas.algorithms.base import Array, positive


class Server(NamedTuple):
    """params, inertia and momentum as in DualFL; epoch [G, 1, 1] is n."""

    params: Array
    inertia: Array
    momentum: Array
    epoch: Array


class Message(NamedTuple):
    """params and momentum as in DualFL; epoch [G, 1, 1] is n."""

    params: Array
    momentum: Array
    epoch: Array


@dataclass(frozen=True)
class DualFLByGap(dualfl.DualFL):
    """DualFL whose clients solve (2) to a primal-dual gap (7) of 1 / (N nu (n + 1)^(4 + gamma)) in round n.

    Park, Xu 2023 (arXiv 2305.10294), eq. 8: the accuracy that Theorem 3.2 asks for, with rho = 0 and nu <= mu, and of
    which Theorem 3.4 counts the iterations. The gap must be known, as it is for the problem `hinge`.

    Symbols: N -> the number of clients, n -> epoch; the rest as DualFL.
    Differs from the paper: as DualFL; the gap is that of the solver's own dual variables, which is (7) or more.
    """

    name = "DualFL, gap (8)"
    citation = "Park, Xu 2023, arXiv 2305.10294, Algorithm 1 and eq. 8"

    gamma: Array = positive()

    def init_server(self, w0):
        theta, t, beta = super().init_server(w0)
        return Server(theta, t, beta, epoch=0 * t)

    def broadcast(self, server, coin):
        return Message(server.params, server.momentum, server.epoch)

    def gap(self, message):
        return 1 / (self.population.clients * self.nu * (message.epoch + 1) ** (4 + self.gamma))  # (8)

    def update_server(self, server, mean, participation):
        theta, t, beta = super().update_server(server, mean, participation)
        return Server(theta, t, beta, server.epoch + 1)
