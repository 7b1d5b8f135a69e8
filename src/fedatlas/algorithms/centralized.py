"""The centralised baseline: proximal gradient on the pooled data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from fedatlas.algorithms._traits import Composite
from fedatlas.algorithms.base import Array, Server, positive


@dataclass(frozen=True)
class Centralized(Composite):
    """Proximal (stochastic) gradient on the examples of all training clients together; a round is an epoch.

    The baseline "centralized" of Yuan, Zaheer, Reddi, ICML 2021 (arXiv 2011.08474), section A.4.

    Symbols: w -> params, eta -> client_lr, psi -> penalty.
    Differs from the paper: nothing.
    """

    name = "centralized"
    citation = "Yuan, Zaheer, Reddi, ICML 2021, section A.4"
    colour = "#111827"
    data: ClassVar[Literal["pooled", "single"]] = "pooled"

    client_lr: Array = positive()

    def step(self, w, k, message, client, f):
        return self.penalty.prox(w - self.client_lr * f.gradient(w), self.client_lr)

    def update_server(self, server, mean, participation):
        return Server(server.params + mean.delta)
