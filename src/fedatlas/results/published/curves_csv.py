"""Curves as the tables that are kept in git: metrics.csv of a published experiment, and the dots.csv of some.

One row for each round of a run, a column for each split and metric. A table without seeds is of a single one; one
without configurations is of the selected ones.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd

from fedatlas.results.table import COLUMNS, OVER_ALL_CLIENTS

_KEYS = ("algorithm", "seed", "configuration", "round")
_NAME = re.compile(r"^((?:unseen_)?[a-z]+)_(.*)$")  # of another column: split and metric


class CurvesTable:
    """One such table, from which runs are read: taken apart once, for an experiment may have a hundred of them."""

    def __init__(self, path: Path):
        table = pd.read_csv(path)
        names = [name for name in table.columns if name not in _KEYS]
        self._keys = {name: table[name].to_numpy() for name in _KEYS if name in table}
        self._splits, self._metrics = np.array([_NAME.findall(name)[0] for name in names], object).reshape(-1, 2).T
        self._values = table[names].to_numpy(float)
        of_run = [name for name in ("algorithm", "seed") if name in table]
        self._rows = table.groupby(of_run if len(of_run) > 1 else of_run[0], sort=False).indices

    def holds(self, algorithm: str, seed: int) -> bool:
        """Whether it has anything of a run."""
        return self._run(algorithm, seed) in self._rows

    def of(self, algorithm: str, seed: int, selected: int) -> pd.DataFrame:
        """The metrics table of a run, of what it holds; its configuration is the selected one if none is named."""
        rows = self._rows[self._run(algorithm, seed)]
        values = self._values[rows]
        held = ~np.isnan(values).all(axis=0)
        of_row = {"configuration": self._keys.get("configuration"), "round": self._keys["round"]}
        long = {
            name: np.full(len(rows) * held.sum(), selected) if keys is None else np.tile(keys[rows], held.sum())
            for name, keys in of_row.items()
        }
        long |= {
            "client": OVER_ALL_CLIENTS,
            "split": np.repeat(self._splits[held], len(rows)),
            "metric": np.repeat(self._metrics[held], len(rows)),
        }
        return pd.DataFrame({**long, "value": values[:, held].T.ravel()}, columns=list(COLUMNS))

    def _run(self, algorithm: str, seed: int) -> tuple[str, int] | str:
        return (algorithm, seed) if "seed" in self._keys else algorithm
