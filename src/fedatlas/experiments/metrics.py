"""Collecting the metrics of a run while it goes."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from fedatlas.experiments.results import COLUMNS, OVER_ALL_CLIENTS
from fedatlas.federated.simulation import Simulation


class Recorder:
    """The rows of the metrics table so far, and the running costs.

    Attributes:
        costs: cumulative since round 0, by name.
        diverged: configuration -> the round of the evaluation at which it was found to have diverged.
    """

    def __init__(self, trained: Iterable[int]):
        self._trained = np.array(list(trained))
        self._rows: list[pd.DataFrame] = []
        self.costs = {"bytes_down": 0, "bytes_up": 0, "gradient_evaluations": 0, "seconds": 0.0}
        self.diverged: dict[int, int] = {}

    def count(self, simulation: Simulation, cohort: int, gradients: int, seconds: float) -> None:
        """Adds the costs of a round."""
        down, up = simulation.bytes_per_client
        self.costs["bytes_down"] += cohort * down
        self.costs["bytes_up"] += cohort * up
        self.costs["gradient_evaluations"] += gradients
        self.costs["seconds"] += seconds

    def evaluate(self, simulation: Simulation, splits: Iterable[str]) -> None:
        """Appends the evaluation of the current models."""
        measured = simulation.measure()
        values = {("model", name): array for name, array in measured.metrics.items()}
        for split in splits:
            averages = simulation.evaluate(split)
            averages["objective"] = averages["loss"] + measured.penalty
            values |= {(split, name): array for name, array in averages.items()}
        finite = measured.alive & np.all([np.isfinite(array) for array in values.values()], axis=0)
        for configuration in simulation.active[~finite]:
            self.diverged.setdefault(int(configuration), simulation.round)
        wide = {key: self._spread(simulation, np.where(finite, array, np.nan)) for key, array in values.items()}
        wide |= {("cost", name): np.full(len(self._trained), float(total)) for name, total in self.costs.items()}
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
        """The rows as arrays."""
        return {
            f"table_{name}": column.to_numpy(str if column.dtype == object else None)
            for name, column in self.table().items()
        }

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Takes the rows of a snapshot for its own."""
        columns = {name: arrays[f"table_{name}"] for name in COLUMNS}
        self._rows = [pd.DataFrame({n: c.astype(object) if c.dtype.kind == "U" else c for n, c in columns.items()})]
