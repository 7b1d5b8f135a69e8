"""Collecting the metrics of a run while it goes."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from fedatlas.experiments.results import COLUMNS, OVER_ALL_CLIENTS
from fedatlas.federated.simulation import RoundCosts, Simulation


class Recorder:
    """The rows of the metrics table so far, and the running costs.

    Args:
        trained: the numbers of the configurations.
        reference: the least value of the objective on the training split, where it is known.

    Attributes:
        costs: of each configuration, cumulative since round 0, by name.
        diverged: configuration -> the round of the evaluation at which it was found to have diverged.
    """

    def __init__(self, trained: Iterable[int], reference: float | None = None):
        self._trained, self._reference = np.array(list(trained)), reference
        self._rows: list[pd.DataFrame] = []
        self.costs = {name: np.zeros(len(self._trained)) for name in (*RoundCosts._fields, "seconds")}
        self.diverged: dict[int, int] = {}

    def count(self, simulation: Simulation, round_costs: RoundCosts, seconds: float) -> None:
        """Adds the costs of a round to those of the configurations that are computed."""
        computed = np.searchsorted(self._trained, simulation.active)
        for name, values in round_costs._asdict().items():
            self.costs[name][computed] += values
        self.costs["seconds"] += seconds

    def evaluate(self, simulation: Simulation, splits: Iterable[str]) -> None:
        """Appends the evaluation of the current models."""
        measured = simulation.measure()
        values = {("model", name): array for name, array in measured.metrics.items()}
        for split in splits:
            averages = simulation.evaluate(split)
            averages["objective"] = averages["loss"] + measured.penalty
            if split == "train" and self._reference is not None:
                averages["relative_energy_error"] = averages["objective"] / self._reference - 1
            values |= {(split, name): array for name, array in averages.items()}
        finite = measured.alive & np.all([np.isfinite(array) for array in values.values()], axis=0)
        for configuration in simulation.active[~finite]:
            self.diverged.setdefault(int(configuration), simulation.round)
        wide = {key: self._spread(simulation, np.where(finite, array, np.nan)) for key, array in values.items()}
        wide |= {("cost", name): total.copy() for name, total in self.costs.items()}
        self._append(simulation.round, wide)

    def _spread(self, simulation: Simulation, array: np.ndarray) -> np.ndarray:
        """Values of the configurations that are computed as values of all that are trained; NaN for the others."""
        spread = np.full(len(self._trained), np.nan)
        spread[np.searchsorted(self._trained, simulation.active)] = array
        for configuration in self.diverged:
            spread[np.searchsorted(self._trained, configuration)] = np.nan
        return spread

    def _append(self, round_number: int, wide: dict[tuple[str, str], np.ndarray]) -> None:
        frames = [
            pd.DataFrame({"configuration": self._trained, "split": split, "metric": name, "value": array})
            for (split, name), array in wide.items()
        ]
        frame = pd.concat(frames, ignore_index=True).assign(round=round_number, client=OVER_ALL_CLIENTS)
        self._rows.append(frame[list(COLUMNS)])

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
