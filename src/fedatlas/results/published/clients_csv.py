"""What single clients have, as the table that is kept in git: clients.csv of a published experiment.

One row for each client of an algorithm's sweep seed, a column for each split and metric: accuracies on test examples,
the entropies of mixture weights, and the weights beside the true ones.
"""

from __future__ import annotations

import functools
import io
from pathlib import Path

import pandas as pd

from fedatlas.results.collection import ExperimentResults
from fedatlas.results.run import Run
from fedatlas.results.table import COLUMNS

FILE = "clients.csv"
KEPT = r".*test\.accuracy|.*train\.(entropy|(true_)?weight_\d+)"


def as_text(results: ExperimentResults) -> str | None:
    """The table of all algorithms as CSV; None if no run has recorded single clients."""
    tables = [_wide(results.sweep_run(algorithm), algorithm) for algorithm in results.runs]
    table = pd.concat(tables)
    return None if table.empty else table.to_csv(index=False, float_format="%.4g")


def _wide(run: Run, algorithm: str) -> pd.DataFrame:
    """The rows of one algorithm; none if it has recorded no clients."""
    rows = run.table[(run.table["client"] >= 0) & (run.table["configuration"] == run.selected)]
    rows = rows.assign(name=rows["split"] + "." + rows["metric"])
    rows = rows[rows["name"].str.fullmatch(KEPT)]
    wide = rows.pivot(index=["round", "client"], columns="name", values="value").reset_index()
    wide.insert(0, "algorithm", algorithm)
    return wide


def as_rows(text: str, algorithm: str, configuration: int) -> pd.DataFrame:
    """The rows of a run's metrics table that were kept of one algorithm; none if it has none."""
    table = _parsed(text)
    mine = table[table["algorithm"] == algorithm].drop(columns="algorithm")
    long = mine.melt(["round", "client"], var_name="name").dropna(subset="value")
    names = long.pop("name").str.split(".", n=1, expand=True).reindex(columns=[0, 1])
    return long.assign(configuration=configuration, split=names[0], metric=names[1])[list(COLUMNS)]


@functools.lru_cache(1)
def _parsed(text: str) -> pd.DataFrame:
    """The same text is asked for once for each algorithm, one after another."""
    return pd.read_csv(io.StringIO(text))


def read(folder: Path) -> str | None:
    """The text of the file of a published experiment, if it has one."""
    path = folder / FILE
    return path.read_text(encoding="utf-8") if path.is_file() else None
