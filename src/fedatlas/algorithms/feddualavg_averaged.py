"""Federated dual averaging that reports the mean of its models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms import feddualavg
from fedatlas.algorithms.base import Array
from fedatlas.algorithms.feddualavg import FedDualAvg
from fedatlas.lazy import tf


class Server(NamedTuple):
    """dual, elapsed: of FedDualAvg; total [G, 1, d] is the sum of w_1, ..., w_r and rounds [G, 1, 1] is r."""

    dual: Array
    elapsed: Array
    total: Array
    rounds: Array


@dataclass(frozen=True)
class FedDualAvgAveraged(FedDualAvg):
    """FedDualAvg, whose reported model is the mean of the models after each round: the output that the theory is about.

    Yuan, Zaheer, Reddi, ICML 2021 (arXiv 2011.08474), Theorem E.1, the detailed form of Theorem 4.1.

    Symbols: as for FedDualAvg; the sum of the w_r -> total.
    Differs from the paper: Theorems 4.2 and 4.3 average over all local steps too (equation 4.4), which no server sees.
    """

    name = "FedDualAvg, averaged"
    colour = "#7dd3fc"

    def init_server(self, w0):
        return Server(**super().init_server(w0)._asdict(), total=0 * w0, rounds=0 * w0[..., :1])

    def broadcast(self, server, coin):
        return feddualavg.Server(server.dual, server.elapsed)

    def update_server(self, server, mean, participation):
        new = super().update_server(server, mean, participation)
        return Server(**new._asdict(), total=server.total + super().model(new), rounds=server.rounds + 1)

    def model(self, server):
        before = tf.cast(server.rounds < 1, server.rounds.dtype)
        return (server.total + before * server.dual) / (server.rounds + before)  # w_0 before the first round
