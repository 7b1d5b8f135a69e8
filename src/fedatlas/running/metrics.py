"""Collecting the metrics of a run while it goes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from fedatlas.federated.simulation import RoundCosts, Simulation
from fedatlas.results.mixture_recovery import recovery
from fedatlas.results.table import COLUMNS, OVER_ALL_CLIENTS


class Optimum(NamedTuple):
    """The least value of the objective on the training split, and the parameters [d] that have it."""

    objective: float
    params: np.ndarray


class Recorder:
    """The rows of the metrics table so far, and the running costs.

    Args:
        trained: the numbers of the configurations.
        optimum: what the models are compared with, where it is known.
        mixture: the true mixture weights of the training clients [clients, M], where they are known.

    Attributes:
        costs: of each configuration, cumulative since round 0, by name.
        diverged: configuration -> the round of the evaluation at which it was found to have diverged.
    """

    def __init__(self, trained: Iterable[int], optimum: Optimum | None = None, mixture: np.ndarray | None = None):
        self._trained, self._optimum, self._mixture = np.array(list(trained)), optimum, mixture
        self._rows: list[pd.DataFrame] = []
        self.costs = {name: np.zeros(len(self._trained)) for name in (*RoundCosts._fields, "seconds")}
        self.diverged: dict[int, int] = {}

    def count(self, simulation: Simulation, round_costs: RoundCosts, seconds: float) -> None:
        """Adds the costs of a round to those of the configurations that go on, and its seconds to all."""
        active = np.searchsorted(self._trained, simulation.active)
        for name, values in round_costs._asdict().items():
            self.costs[name][active] += values
        self.costs["seconds"] += seconds

    def evaluate(
        self, simulation: Simulation, splits: Sequence[str], personal: bool = False, last: bool = False
    ) -> None:
        """Appends the evaluation of the current models.

        Args:
            personal: of each client's own model; means are weighted by the clients' examples, and `<metric>_decile` is
                the value of the client at the worst tenth.
            last: whether the values of every client are kept too, if `personal`.
        """
        measured = simulation.measure()
        values = {("model", name): array for name, array in measured.metrics.items()}
        if self._optimum is not None:
            values["model", "squared_solution_error"] = np.sum((measured.params - self._optimum.params) ** 2, axis=-1)
        own = simulation.evaluate_own(splits) if personal else {}
        for split in splits:
            averages = _over_clients(own, split, simulation.sizes(split)) if personal else simulation.evaluate(split)
            averages["objective"] = averages["loss"] + measured.penalty
            if split == "train" and self._optimum is not None:
                averages["relative_energy_error"] = averages["objective"] / self._optimum.objective - 1
            values |= {(split, name): array for name, array in averages.items()}
        if self._mixture is not None and ("train", "weight_1") in own:
            values |= {("train", name): array for name, array in recovery(_weights(own), self._mixture).items()}
        finite = measured.alive & np.all([np.isfinite(array) for array in values.values()], axis=0)
        for configuration in simulation.active[~finite]:
            self.diverged.setdefault(int(configuration), simulation.round)
        wide = {key: self._spread(simulation, np.where(finite, array, np.nan)) for key, array in values.items()}
        wide |= {("cost", name): total.copy() for name, total in self.costs.items()}
        self._append(simulation.round, wide)
        if last and personal:
            own |= self._true_weights(len(finite))
            for client in range(max((array.shape[1] for array in own.values()), default=0)):
                of_client = {key: array[:, client] for key, array in own.items() if client < array.shape[1]}
                of_client = {key: np.where(finite, array, np.nan) for key, array in of_client.items()}
                spread = {key: self._spread(simulation, array) for key, array in of_client.items()}
                self._append(simulation.round, spread, client)

    def _true_weights(self, configurations: int) -> dict[tuple[str, str], np.ndarray]:
        """The true weight of every component at each client, [G, clients]; the same for all configurations."""
        columns = [] if self._mixture is None else self._mixture.T
        repeated = [np.repeat(column[None], configurations, 0) for column in columns]
        return {("train", f"true_weight_{m}"): column for m, column in enumerate(repeated, 1)}

    def _spread(self, simulation: Simulation, array: np.ndarray) -> np.ndarray:
        """Values of the configurations that are computed as values of all that are trained; NaN for the others."""
        spread = np.full(len(self._trained), np.nan)
        spread[np.searchsorted(self._trained, simulation.active)] = array
        for configuration in self.diverged:
            spread[np.searchsorted(self._trained, configuration)] = np.nan
        return spread

    def _append(
        self, round_number: int, wide: dict[tuple[str, str], np.ndarray], client: int = OVER_ALL_CLIENTS
    ) -> None:
        many, (splits, metrics) = len(self._trained), zip(*wide, strict=True)
        columns = {
            "configuration": np.tile(self._trained, len(wide)),
            "round": round_number,
            "client": client,
            "split": np.repeat(np.array(splits, object), many),
            "metric": np.repeat(np.array(metrics, object), many),
            "value": np.concatenate(list(wide.values())),
        }
        self._rows.append(pd.DataFrame(columns, columns=list(COLUMNS)))

    def table(self) -> pd.DataFrame:
        """All rows so far."""
        table = pd.concat(self._rows, ignore_index=True)
        return table.astype({"configuration": "int32", "round": "int32", "client": "int32", "value": "float64"})

    def snapshot(self) -> dict[str, np.ndarray]:
        """The rows and the costs as arrays."""
        rows = {name: column.to_numpy(str if column.dtype == object else None) for name, column in self.table().items()}
        return {f"table_{name}": array for name, array in rows.items()} | {
            f"cost_{name}": array for name, array in self.costs.items()
        }

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Takes the rows and costs of a snapshot for its own."""
        self.costs = {name: arrays[f"cost_{name}"] for name in self.costs}
        columns = {name: arrays[f"table_{name}"] for name in COLUMNS}
        self._rows = [pd.DataFrame({n: c.astype(object) if c.dtype.kind == "U" else c for n, c in columns.items()})]


def _weights(own: Mapping[tuple[str, str], np.ndarray]) -> np.ndarray:
    """The clients' mixture weights, [G, clients, M]."""
    number = sum(split == "train" and name.startswith("weight_") for split, name in own)
    return np.stack([own["train", f"weight_{m}"] for m in range(1, number + 1)], -1)


def _over_clients(own: Mapping[tuple[str, str], np.ndarray], split: str, sizes: np.ndarray) -> dict[str, np.ndarray]:
    """The weighted mean of each metric [G, clients] of a split, and the worst decile of accuracies; [G].

    Only clients with examples count; where nobody has any, all count alike.
    """
    counted = sizes if sizes.any() else np.ones(len(sizes))
    weights = counted / counted.sum()
    found = {name: array for (of, name), array in own.items() if of == split}
    means = {name: array @ weights for name, array in found.items()}
    there = {name: array[:, counted > 0] for name, array in found.items()}
    return means | {f"{name}_decile": worst_decile(array) for name, array in there.items() if name == "accuracy"}


def worst_decile(values: np.ndarray) -> np.ndarray:
    """The (T / 10)-th worst of T clients' values [G, T]; [G]."""
    return np.sort(values, -1)[:, max(values.shape[1] // 10, 1) - 1]
