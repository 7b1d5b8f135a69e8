"""Dualized federated learning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms._traits import ExactLocal
from fedatlas.algorithms.base import Array, bounded, positive
from fedatlas.lazy import tf


class Server(NamedTuple):
    """params [G, 1, d] is theta^(n), inertia [G, 1, 1] is t_n, momentum [G, 1, 1] is beta_(n-1)."""

    params: Array
    inertia: Array
    momentum: Array


class Message(NamedTuple):
    """theta^(n) [G, 1, d] and beta_(n-1) [G, 1, 1]."""

    params: Array
    momentum: Array


class Client(NamedTuple):
    """After round n, each [G, C, d]: params is theta_j^(n+1), dual is zeta_j^(n), and aligned is
    zeta_j^(n-1) + theta^(n) - theta_j^(n).
    """

    params: Array
    dual: Array
    aligned: Array


class Update(NamedTuple):
    """theta_j^(n+1) [G, C, d]."""

    params: Array


@dataclass(frozen=True)
class DualFL(ExactLocal):
    """Clients minimise their objectives tilted by duals, whose accelerated ascent is all that the server steers.

    Park, Xu 2023 (arXiv 2305.10294), Algorithm 1. It is FISTA with step nu on the dual problem (Lemma 6.6). With
    rho <= nu / L and nu <= mu it converges like (1 - sqrt(rho))^n (Theorem 3.3), with rho = 0 like 1 / n^2 and L may
    be infinite (Theorem 3.2). A problem that is not strongly convex gets alpha / 2 ||theta||^2 and is run with
    nu = alpha and rho = alpha / (L + alpha) (Theorem 4.3).

    Symbols: theta -> params, zeta -> dual, t -> inertia, beta -> momentum.
    Differs from the paper: zeta^(n+1) needs theta^(n+1), so that a client computes it when the next round brings
    that, and keeps zeta^(n) + theta^(n+1) - theta_j^(n+1) instead of its three parts; theta^(0) need not be 0, which
    only moves where the first local problem is started.
    """

    name = "DualFL"
    citation = "Park, Xu 2023, arXiv 2305.10294, Algorithm 1"
    colour = "#b91c1c"
    participation = "full"
    adds_curvature = False

    rho: Array = bounded(at_least=0.0, below=1.0)
    nu: Array = positive()

    @property
    def regularisation(self) -> Array | float:
        """alpha of eq. 10, beside what the problem has itself."""
        return 0.0

    def init_server(self, w0):
        return Server(params=w0, inertia=1 + 0 * w0[..., :1], momentum=0 * w0[..., :1])

    def init_client(self, w0):
        return Client(params=w0, dual=0 * w0, aligned=0 * w0)

    def broadcast(self, server, coin):
        return Message(server.params, server.momentum)

    def gap(self, message: Message) -> Array | None:
        """How far from its minimum a client may leave (2), [G, 1, 1]; None for what the experiment's solver asks."""
        return None

    def start(self, message, client, F):
        aligned = client.dual + message.params - client.params
        dual = (1 + message.momentum) * aligned - message.momentum * client.aligned  # (4), of the round before
        tilt = {"linear": -self.nu * dual, "strength": self.regularisation}
        params = F.minimise(client.params, **tilt, within=self.gap(message))  # (2)
        return Client(params, dual, aligned)

    def finish(self, local, k, message, client):
        return Update(local.params), local

    def update_server(self, server, mean, participation):
        t, slowed = server.inertia, 1 - self.rho * server.inertia**2
        longer = (slowed + tf.sqrt(slowed**2 + 4 * t**2)) / 2  # (5), t_(n+1)
        momentum = (t - 1) / longer * (1 - longer * self.rho) / (1 - self.rho)  # (5), beta_n
        return Server(mean.params, longer, momentum)  # (3)
