"""Federated primal-dual optimisation with ever smaller stochastic gradient steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms.base import Array
from fedatlas.algorithms.fedpd import FedPD
from fedatlas.lazy import tf


class Client(NamedTuple):
    """params is x_i, proposal x_{0,i}^+ and dual lambda_i, each [G, C, d]; elapsed [G, C, 1] is Q(r - 1)."""

    params: Array
    proposal: Array
    dual: Array
    elapsed: Array


@dataclass(frozen=True)
class FedPDDecaying(FedPD):
    """FedPD whose local step q of round r, both from 1, has the size eta_1 / sqrt(Q(r - 1) / 5 + q).

    Zhang, Hong, Dhople, Yin, Liu, FedPD (arXiv 2005.11418), Algorithms 2 and 3, with the step sizes of the authors'
    code (564612540/FedPD, Matlab/FedPD_v2).

    Symbols: as FedPD; Q(r - 1), the local steps of the rounds before -> elapsed, q -> k + 1.
    Differs from the paper: it has a constant eta_1; the rest as FedPD.
    """

    name = "FedPD-SGD"
    citation = "Zhang, Hong, Dhople, Yin, Liu, IEEE TSP 2021, Algorithms 2 and 3 and the authors' code"
    colour = "#ca8a04"

    def init_client(self, w0):
        return Client(**super().init_client(w0)._asdict(), elapsed=0 * w0[..., :1])

    def step(self, x, k, message, client, f):
        full = super().step(x, k, message, client, f)
        return x + (full - x) / tf.sqrt(client.elapsed / 5 + k + 1)

    def finish(self, x, k, message, client):
        update, new = super().finish(x, k, message, client)
        return update, Client(**new._asdict(), elapsed=client.elapsed + k)
