"""Federated averaging with ever smaller local steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms.base import Array
from fedatlas.algorithms.fedavg import FedAvg
from fedatlas.lazy import tf


class Client(NamedTuple):
    """elapsed [G, C, 1] is Q(r - 1), the local steps of the rounds before."""

    elapsed: Array


@dataclass(frozen=True)
class FedAvgDecaying(FedAvg):
    """FedAvg whose first step of round r has the size eta / sqrt(Q(r - 1) / 5 + 1), the others eta / (Q(r - 1) + q).

    The FedAvg-SGD of Zhang, Hong, Dhople, Yin, Liu, FedPD (arXiv 2005.11418), Algorithm 1, with the step sizes of the
    authors' code (564612540/FedPD, Matlab/FedPD_v2).

    Symbols: x -> params, eta -> client_lr, Q(r - 1) -> elapsed, q, from 1 -> k + 1.
    Differs from the paper: it does not say how the steps fall; 1 as server_lr is its plain average.
    """

    name = "FedAvg-SGD"
    citation = "Zhang, Hong, Dhople, Yin, Liu, IEEE TSP 2021, Algorithm 1 and the authors' code"
    colour = "#0369a1"

    def init_client(self, w0):
        return Client(elapsed=0 * w0[..., :1])

    def step(self, w, k, message, client, f):
        shrink = tf.where(k > 0, client.elapsed + k + 1, tf.sqrt(client.elapsed / 5 + 1))
        return w + (super().step(w, k, message, client, f) - w) / shrink

    def finish(self, w, k, message, client):
        update, _ = super().finish(w, k, message, client)
        return update, Client(client.elapsed + k)
