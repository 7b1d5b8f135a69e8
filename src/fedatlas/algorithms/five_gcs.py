"""5GCS: client sampling with local training by a proximal step on the duals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms._traits import ExactLocal
from fedatlas.algorithms.base import Array, Update, positive
from fedatlas.lazy import tf


class Server(NamedTuple):
    """params [G, 1, d] is x, dual [G, 1, d] is v, the sum of the u_m."""

    params: Array
    dual: Array


class Message(NamedTuple):
    """xhat [G, 1, d]."""

    params: Array


class Client(NamedTuple):
    """dual [G, C, d] is N u_m."""

    dual: Array


@dataclass(frozen=True)
class FiveGCS(ExactLocal):
    """Clients keep the gradient of their objective at a proximal point; the server steps along the sum of them.

    Grudzien, Malinovsky, Richtarik, AISTATS 2023 (arXiv 2212.14370), Algorithm 1, with F_m = (f_m - mu / 2 ||.||^2) / N
    and, as in Park, Xu 2023 (DualFL, arXiv 2305.10294), Table 2, tau = 1 / (2 gamma N).

    Symbols: x -> params, u -> dual, v -> dual of the server, y -> found, N tau -> strength.
    Differs from the paper: the local problem is solved by the experiment's solver, starting as there from xhat; it is
    multiplied by N, and so are the u_m.
    """

    name = "5GCS"
    citation = "Grudzień, Malinovsky, Richtárik, AISTATS 2023, Algorithm 1"
    colour = "#a16207"

    gamma: Array = positive()
    mu: Array = positive()

    def init_server(self, w0):
        return Server(params=w0, dual=0 * w0)

    def init_client(self, w0):
        return Client(dual=0 * w0)

    def broadcast(self, server, coin):
        return Message(self._forward(server))

    def start(self, message, client, F):
        x, strength = tf.broadcast_to(message.params, tf.shape(client.dual)), 1 / (2 * self.gamma)
        # (f - mu/2 ||y||^2) + strength/2 ||y - x - dual/strength||^2 with its squares of y put together
        found = F.minimise(x, linear=-client.dual - self.mu * x, strength=strength - self.mu, centre=x)
        return Client(F.gradient(found) - self.mu * found)

    def finish(self, local, k, message, client):
        return Update(local.dual - client.dual), local

    def update_server(self, server, mean, participation):
        return Server(self._forward(server) - self.gamma * mean.delta, server.dual + participation * mean.delta)

    def _forward(self, server: Server) -> Array:
        """xhat."""
        return (server.params - self.gamma * server.dual) / (1 + self.gamma * self.mu)
