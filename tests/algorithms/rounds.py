"""Full local steps, exact local solutions, and simulations that are followed round by round."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedatlas.federated.batches import LocalWork
from fedatlas.federated.simulation import RoundCosts, Simulation
from fedatlas.federated.solvers import Solver

SOLVED = 1e-12  # how exactly, after enough iterations


def steps(number: int) -> LocalWork:
    """Full local steps."""
    return LocalWork(batch_size=None, steps=number)


def solving(most_iterations: int) -> dict[str, Any]:
    """The options of a simulation whose local problems are solved to the last digits, in so many iterations."""
    return {"work": steps(0), "solver": Solver(tolerance=0, most_iterations=most_iterations)}


def followed(simulation: Simulation, rounds: int) -> tuple[np.ndarray, list[RoundCosts]]:
    """The reported models after 1, 2, ... rounds [rounds, G, d], and what each round cost."""
    models, costs = [], []
    for _ in range(rounds):
        costs.append(simulation.advance())
        models.append(simulation.measure().params)
    return np.array(models), costs


def path(simulation: Simulation, rounds: int) -> np.ndarray:
    """The reported models after 1, 2, ... rounds, [rounds, G, d]."""
    return followed(simulation, rounds)[0]
