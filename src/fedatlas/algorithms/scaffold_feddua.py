"""SCAFFOLD at the clients, FedDuA at the server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms import _mirror_descent, scaffold
from fedatlas.algorithms._traits import PlainSteps
from fedatlas.algorithms.base import Array
from fedatlas.algorithms.fedduadagrad import FedDuAdagrad
from fedatlas.algorithms.scaffold import Client, controlled_step, new_control


class Server(NamedTuple):
    """descent is the state of FedDuAdagrad, control [G, 1, d] is c."""

    descent: _mirror_descent.Server
    control: Array


class Update(NamedTuple):
    """The displacements of the model and of the control variate [G, C, d], and the squared norm of the first."""

    delta: Array
    squared_norm: Array
    control: Array


@dataclass(frozen=True)
class ScaffoldFedDuA(PlainSteps, FedDuAdagrad):
    """FedDuAdagrad whose clients correct the drift of local SGD by control variates.

    Takakura, Liew, Hasegawa 2025 (arXiv 2505.11126), section 5, Figure 3; clients as in Karimireddy et al., ICML 2020
    (arXiv 1910.06378), Algorithm 1, option II.

    Symbols: w -> params, Delta -> delta, c -> control, eta_l -> client_lr, epsilon -> epsilon, epsilon_g -> eps_g.
    Differs from the paper: which FedDuA is at the server is not said there; here it is FedDuAdagrad.
    """

    name = "SCAFFOLD with FedDuA"
    citation = "Takakura et al. 2025, arXiv 2505.11126, Figure 3"
    colour = "#7e22ce"
    steps = "unequal"

    def init_server(self, w0):
        return Server(super().init_server(w0), 0 * w0)

    def init_client(self, w0):
        return Client(control=0 * w0)

    def broadcast(self, server, coin):
        return scaffold.Server(server.descent.params, server.control)

    def step(self, y, k, message, client, f):
        return controlled_step(y, self.client_lr, f, message, client)

    def finish(self, y, k, message, client):
        displacement, _ = super().finish(y, k, message, client)
        control = new_control(y, self.client_lr, k, message, client)
        return Update(**displacement._asdict(), control=control - client.control), Client(control)

    def update_server(self, server, mean, participation):
        control = server.control + participation * mean.control
        return Server(super().update_server(server.descent, mean, participation), control)

    def server_metrics(self, server):
        return super().server_metrics(server.descent)

    def model(self, server):
        return super().model(server.descent)
