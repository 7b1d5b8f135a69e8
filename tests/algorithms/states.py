"""Puts a simulation where a test wants it, and takes its states apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from fedatlas.federated.computations import State
from fedatlas.federated.simulation import Simulation


def place(simulation: Simulation, server: Sequence[np.ndarray | float], clients: Sequence[np.ndarray] = ()) -> None:
    """Gives the server and the clients these states, the same in every configuration.

    Args:
        server: the fields of its state in order, a vector [d] or a number each.
        clients: the fields of a client's state in order, [num_clients, d] each.
    """
    state = simulation.state
    simulation.state = State(
        state.round, state.alive, _filled(state.server, [np.reshape(v, (1, 1, -1)) for v in server])
    )
    simulation.clients = _filled(simulation.clients, [np.asarray(v)[:, None] for v in clients])


def _filled(structure: object, values: Sequence[np.ndarray]) -> object:
    leaves = [np.asarray(leaf) for leaf in tf.nest.flatten(structure)]
    new = [np.broadcast_to(v, leaf.shape).astype(leaf.dtype) for v, leaf in zip(values, leaves, strict=True)]
    return tf.nest.pack_sequence_as(structure, [np.ascontiguousarray(v) for v in new])


def of_clients(simulation: Simulation, configuration: int = 0) -> list[np.ndarray]:
    """The fields of the clients' states in order, [num_clients, d] each."""
    return [np.asarray(leaf)[:, configuration] for leaf in tf.nest.flatten(simulation.clients)]


def of_server(simulation: Simulation, configuration: int = 0) -> list[np.ndarray]:
    """The fields of the server's state in order, [d] or [1] each."""
    return [np.asarray(leaf)[configuration, 0] for leaf in tf.nest.flatten(simulation.state.server)]
