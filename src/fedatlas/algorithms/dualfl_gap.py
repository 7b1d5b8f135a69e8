"""Dualized federated learning whose local solver stops at the gap that its theorem asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms import dualfl
from fedatlas.algorithms.base import Array, positive
from fedatlas.lazy import tf


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
    """DualFL whose clients solve (2) in round n to the primal-dual gap (7) that its theorems ask for.

    Park, Xu 2023 (arXiv 2305.10294): with rho = 0 that of eq. 8, as Theorem 3.2 wants it and as Theorem 3.4 counts its
    iterations; with rho > 0, for smooth objectives, that of eq. 9, as Theorems 3.3 and 3.5 do. nu <= mu. The gap must
    be known, as it is for the problem `hinge`.

    Symbols: N -> the number of clients, n -> epoch; the rest as DualFL.
    Differs from the paper: as DualFL; the gap is that of the solver's own dual variables, which is (7) or more.
    """

    name = "DualFL, gap (8) or (9)"
    citation = "Park, Xu 2023, arXiv 2305.10294, Algorithm 1, eqs. 8 and 9"

    gamma: Array = positive()

    def init_server(self, w0):
        theta, t, beta = super().init_server(w0)
        return Server(theta, t, beta, epoch=0 * t)

    def broadcast(self, server, coin):
        return Message(server.params, server.momentum, server.epoch)

    def gap(self, message):
        N, n = self.population.clients, message.epoch
        sublinear = 1 / (N * self.nu * (n + 1) ** (4 + self.gamma))  # (8)
        linear = ((1 - self.rho**0.5) / (1 + self.gamma)) ** n / N  # (9)
        return tf.where(self.rho > 0, linear, sublinear)

    def update_server(self, server, mean, participation):
        theta, t, beta = super().update_server(server, mean, participation)
        return Server(theta, t, beta, server.epoch + 1)
