"""Every client on its own: the baseline of personalised learning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms.base import Algorithm, Array, Server, Update, positive


class Client(NamedTuple):
    """params [G, C, d] is theta_t, the client's own model."""

    params: Array


@dataclass(frozen=True)
class LocalModels(Algorithm):
    """SGD of every client on its own examples, from one initial model; nobody communicates.

    The baseline "Local" of Marfoq, Neglia, Bellet, Kameni, Vidal, NeurIPS 2021 (FedEM, arXiv 2108.10252), section 4. It
    ignores the penalty.

    Symbols: theta_t -> params, eta -> client_lr.
    Differs from the paper: nothing. The reported model, which no client uses, is the mean of the round's clients.
    """

    name = "Local"
    citation = "Marfoq et al., NeurIPS 2021, section 4"
    colour = "#78350f"

    client_lr: Array = positive()

    def init_client(self, w0):
        return Client(w0)

    def communicated(self, message):
        return 0.0

    def start(self, message, client, F):
        return client.params

    def step(self, theta, k, message, client, f):
        return theta - self.client_lr * f.gradient(theta)

    def finish(self, theta, k, message, client):
        return Update(theta - message.params), Client(theta)

    def update_server(self, server, mean, participation):
        return Server(server.params + mean.delta)

    def personal(self, theta, message, client, F):
        return theta
