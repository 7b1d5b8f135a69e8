"""Federated averaging that is fair to clients with different numbers of local steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms import PlainSteps
from fedatlas.algorithms.base import Array, Server
from fedatlas.algorithms.fedavg import FedAvg


class Update(NamedTuple):
    """delta [G, C, d] is Delta_i / tau_i, steps [G, C, 1] is tau_i."""

    delta: Array
    steps: Array


@dataclass(frozen=True)
class FedNova(PlainSteps, FedAvg):
    """FedAvg whose clients send the mean of their local steps, not the sum: normalised averaging.

    In FedAvg a client that takes more local steps counts for more, so that it minimises another objective,
    sum_i p_i tau_i F_i. FedNova minimises sum_i p_i F_i, where p_i is the client's weight in the mean.

    Wang, Liu, Liang, Joshi, Poor, NeurIPS 2020 (arXiv 2007.07481), section 5: equation (4) with w_i = p_i.

    Symbols: x -> params, eta -> client_lr, tau_i -> k, tau_eff = sum_i p_i tau_i -> mean.steps,
    -eta d_i = Delta_i / tau_i -> delta.
    Differs from the paper: only plain SGD as the local solver, where ||a_i||_1 = tau_i; with a server learning rate,
    1 in the paper.
    """

    name = "FedNova"
    citation = "Wang et al., NeurIPS 2020, equation (4)"
    colour = "#0284c7"
    steps = "unequal"

    def finish(self, x, k, message, client):
        return Update((x - message.params) / k, k), client

    def update_server(self, server, mean, participation):
        return Server(server.params + self.server_lr * mean.steps * mean.delta)  # eq. (4): tau_eff sum_i p_i d_i
