"""Federated primal-dual optimisation with exact local solutions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms.base import Algorithm, Array, bounded, positive
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
class FedPDExact(Algorithm):
    """Clients minimise their augmented Lagrangians; one coin per round says whether the server averages.

    Zhang, Hong, Dhople, Yin, Liu, FedPD (arXiv 2005.11418), Algorithm 2, with the exact solution of the local problem
    as its oracle: the FedPD of Park, Xu, DualFL (arXiv 2305.10294), section 7. Without skipping it is consensus ADMM.
    The other algorithms of the family have another oracle (`start` and `step`), coin or step size.

    Symbols: x_i -> params, x_{0,i}^+ -> proposal, lambda_i -> dual, eta -> eta, p -> skip.
    Differs from the paper: the coin that ends round r is tossed when round r + 1 begins, and the reported model is the
    mean of the x_{0,i}, as in the authors' code: x_0 after a communication.
    """

    name = "FedPD (exact)"
    citation = "Zhang, Hong, Dhople, Yin, Liu, IEEE TSP 2021, Algorithm 2"
    colour = "#ea580c"
    participation = "full"
    solves = True

    eta: Array = positive()
    skip: Array = bounded(at_least=0.0, below=1.0)

    def init_server(self, w0):
        return Server(w0, round=0 * w0[..., :1])

    def init_client(self, w0):
        return Client(params=w0, proposal=w0, dual=0 * w0)

    def skipping(self, server):
        """The probability p that the communication after the last round is skipped."""
        return self.skip

    def broadcast(self, server, coin):
        communicated = (coin >= self.skipping(server)) | (server.round < 1)  # the clients need the first model
        return Message(server.params, tf.cast(communicated, coin.dtype))

    def communicated(self, message):
        return message.communicated

    def anchor(self, message, client):
        """x_{0,i}: Alg. 2, "Global Communicate" or "Local Update"."""
        return tf.where(message.communicated > 0, message.params, client.proposal)

    def start(self, message, client, F):
        return F.minimise(client.params, linear=client.dual, strength=1 / self.eta, centre=self.anchor(message, client))

    def finish(self, x, k, message, client):
        dual = client.dual + (x - self.anchor(message, client)) / self.eta
        proposal = x + self.eta * dual
        return Update(proposal), Client(x, proposal, dual)

    def update_server(self, server, mean, participation):
        return Server(mean.proposal, server.round + 1)
