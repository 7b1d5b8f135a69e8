"""FedPD, apart from how a client solves its local problem, and how a skipped communication is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms._traits import PlainSteps, SkipsCommunication
from fedatlas.algorithms.base import Array, bounded, positive
from fedatlas.lazy import tf


class Server(NamedTuple):
    """params [G, 1, d] is the mean of the x_{0,i}, round [G, 1, 1] the number of rounds done."""

    params: Array
    round: Array


class Message(NamedTuple):
    """params [G, 1, d] is x_0; communicated [G, 1, 1] is 0 where it does not reach the clients."""

    params: Array
    communicated: Array


class Client(NamedTuple):
    """params is x_i, proposal x_{0,i}^+ and dual lambda_i, each [G, C, d]."""

    params: Array
    proposal: Array
    dual: Array


class Update(NamedTuple):
    """proposal [G, C, d] is x_{0,i}^+."""

    proposal: Array


@dataclass(frozen=True)
class PrimalDual(PlainSteps, SkipsCommunication):
    """Zhang, Hong, Dhople, Yin, Liu, FedPD (arXiv 2005.11418), Algorithm 2.

    Subclasses differ in their oracle (`start` and `step`), in p or in the sizes of their steps.

    Symbols: x_i -> params, x_{0,i}^+ -> proposal, lambda_i -> dual, eta -> eta, p -> skipping.
    """

    participation = "full"
    steps = "unequal"

    eta: Array = positive()

    def skipping(self, server: Server) -> Array:
        """The probability p that the communication after the last round is skipped, [G, 1, 1]."""
        raise NotImplementedError

    def init_server(self, w0):
        return Server(w0, round=0 * w0[..., :1])

    def init_client(self, w0):
        return Client(params=w0, proposal=w0, dual=0 * w0)

    def broadcast(self, server, coin):
        communicated = (coin >= self.skipping(server)) | (server.round < 1)  # the clients need the first model
        return Message(server.params, tf.cast(communicated, coin.dtype))

    def communicated(self, message):
        return message.communicated

    def anchor(self, message: Message, client: Client) -> Array:
        """x_{0,i}: Alg. 2, "Global Communicate" or "Local Update"."""
        return tf.where(message.communicated > 0, message.params, client.proposal)

    def finish(self, x, k, message, client):
        dual = client.dual + (x - self.anchor(message, client)) / self.eta
        proposal = x + self.eta * dual
        return Update(proposal), Client(x, proposal, dual)

    def update_server(self, server, mean, participation):
        return Server(mean.proposal, server.round + 1)


@dataclass(frozen=True)
class ConstantSkip(PrimalDual):
    """Every communication is skipped with the same probability."""

    skip: Array = bounded(at_least=0.0, below=1.0)

    def skipping(self, server):
        return self.skip
