"""Settings in which clients have models of their own, for two configurations side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
from algorithms.quadratics import START
from algorithms.states import of_clients

from fedatlas.federated.batches import LocalWork
from fedatlas.federated.local_options import LocalOptions
from fedatlas.federated.simulation import Simulation

EPOCH = LocalWork(batch_size=3, epochs=1)
RATES = [0.01, 0.03]
FEDAVG = {"client_lr": RATES, "server_lr": [1.0, 1.0]}
OPTIONS: dict[str, Any] = {"work": EPOCH, "start": START, "local": LocalOptions(momentum=0.5, weight_decay=0.01)}
PLAIN = {**OPTIONS, "local": LocalOptions(weight_decay=0.01)}  # two gradients in a step have no momentum


def constant(value: float) -> list[float]:
    return [value] * len(RATES)


def own_after(simulation: Simulation, rounds: int, field: int = 0) -> np.ndarray:
    """A field of the clients' states after some rounds, [G, clients, d]."""
    for _ in range(rounds):
        simulation.advance()
    return np.stack([of_clients(simulation, g)[field] for g in range(len(RATES))])
