"""Stochastic controlled averaging."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms._traits import PlainSteps
from fedatlas.algorithms.base import Array, Objective, positive


class Server(NamedTuple):
    """params [G, 1, d] is x, control [G, 1, d] is c."""

    params: Array
    control: Array


class Client(NamedTuple):
    """control [G, C, d] is c_i."""

    control: Array


class Update(NamedTuple):
    """The displacements of the model and of the control variate, each [G, C, d]."""

    delta: Array
    control: Array


@dataclass(frozen=True)
class Scaffold(PlainSteps):
    """Local SGD whose drift is corrected by control variates, estimates of the clients' gradients.

    Karimireddy, Kale, Mohri, Reddi, Stich, Suresh, ICML 2020 (arXiv 1910.06378), Algorithm 1, option II.

    Symbols: x -> params, c -> control, eta_l -> client_lr, eta_g -> server_lr.
    Differs from the paper: nothing.
    """

    name = "SCAFFOLD"
    citation = "Karimireddy et al., ICML 2020, Algorithm 1"
    colour = "#d946ef"
    steps = "unequal"

    client_lr: Array = positive()
    server_lr: Array = positive()

    def init_server(self, w0):
        return Server(params=w0, control=0 * w0)

    def init_client(self, w0):
        return Client(control=0 * w0)

    def step(self, y, k, message, client, f):
        return controlled_step(y, self.client_lr, f, message, client)

    def finish(self, y, k, message, client):
        control = new_control(y, self.client_lr, k, message, client)
        return Update(y - message.params, control - client.control), Client(control)  # line 13

    def update_server(self, server, mean, participation):
        return Server(  # lines 16-17
            server.params + self.server_lr * mean.delta, server.control + participation * mean.control
        )


def controlled_step(y: Array, lr: Array, f: Objective, message: Server, client: Client) -> Array:
    """The local iterate y_i after a step, [G, C, d]."""
    return y - lr * f.gradient(y, plus=message.control - client.control)  # line 10


def new_control(y: Array, lr: Array, k: Array, message: Server, client: Client) -> Array:
    """c_i+ after k local steps, [G, C, d]."""
    return client.control - message.control + (message.params - y) / (k * lr)  # line 12, option II
