"""Finished runs on disk: a metrics table, the learned model and a manifest.

metrics.parquet is in long format: configuration (its number in the manifest's `configurations`), round (0 is the
initial model), client (-1: over all clients), split (`model`: of the parameters alone; `train`, `validation`,
`test`; `cost`), metric, value. A configuration that has diverged has NaN from then on, and so has one that was not
selected where the sweep is decided on the way. `objective` is the loss of a split plus the penalty.

model.npz holds the parameters of the selected configuration after the last round, `params` [d], and its number,
`configuration`.

The costs are cumulative: communications (rounds whose models travelled), bytes_down and bytes_up (over all clients of
the cohorts), gradient_evaluations (examples whose gradient was computed) and seconds (wall time of the training rounds
of all configurations of the run together).
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from fedatlas.errors import AtlasError
from fedatlas.files import atomic, write_text

FORMAT = "fedatlas-run/1"
COLUMNS = ("configuration", "round", "client", "split", "metric", "value")
OVER_ALL_CLIENTS = -1
AXES = {
    "rounds": "round",
    "communications": "communications",
    "bytes": "bytes",
    "gradients": "gradient_evaluations",
    "seconds": "seconds",
}
Axis = Literal["rounds", "communications", "bytes", "gradients", "seconds"]


class Model(NamedTuple):
    """A learned model: the number of its configuration, and its parameters [d]."""

    configuration: int
    params: np.ndarray


@dataclass(frozen=True)
class Run:
    """A finished run: where it lies, its manifest and its metrics table."""

    folder: Path
    manifest: Mapping[str, Any]
    table: pd.DataFrame

    @cached_property
    def model(self) -> Model:
        """The reported model of the selected configuration after the last round, read when it is first asked for.

        Raises:
            AtlasError: if its file is missing or was cut off.
        """
        path = self.folder / "model.npz"
        try:
            with np.load(path, allow_pickle=False) as arrays:
                return Model(int(arrays["configuration"]), arrays["params"])
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise AtlasError(f"{path} is missing, cut off or damaged: {_mend(self.folder)}.") from error


def save_run(folder: Path, manifest: Mapping[str, Any], table: pd.DataFrame, model: Model) -> Run:
    """Writes a run, the manifest last: a folder with a run.json is a whole run."""
    with atomic(folder / "metrics.parquet") as partial:
        table.to_parquet(partial, index=False)
    with atomic(folder / "model.npz") as partial, partial.open("wb") as file:
        np.savez(file, configuration=model.configuration, params=model.params)
    digest = hashlib.sha256((folder / "metrics.parquet").read_bytes()).hexdigest()
    manifest = {"format": FORMAT, **manifest, "metrics_sha256": digest}
    write_text(folder / "run.json", json.dumps(manifest, indent=1))
    return Run(folder, manifest, table)


def load_run(folder: Path) -> Run:
    """Reads a finished run.

    Raises:
        AtlasError: if the run is not there, is of another version, or one of its files was cut off or changed.
    """
    folder = Path(folder)
    manifest, path = load_manifest(folder), folder / "metrics.parquet"
    if not path.is_file():
        raise _unfinished(path)
    if hashlib.sha256(path.read_bytes()).hexdigest() != manifest.get("metrics_sha256"):
        raise AtlasError(f"{path} is not the file that the run wrote (cut off or changed): {_mend(folder)}.")
    return Run(folder, manifest, pd.read_parquet(path))


def load_manifest(folder: Path) -> dict[str, Any]:
    """Reads how a finished run was made.

    Raises:
        AtlasError: if the run is not there, is of another version, or the file was cut off.
    """
    path = folder / "run.json"
    if not path.is_file():
        raise _unfinished(path)
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise AtlasError(f"{path} is cut off or damaged: {_mend(folder)}.") from error
    if manifest.get("format") != FORMAT:
        raise AtlasError(f"{path} has the format {manifest.get('format')!r}, not {FORMAT!r}: {_mend(folder)}.")
    return manifest


def _unfinished(path: Path) -> AtlasError:
    return AtlasError(f"{path} does not exist, so this run has not finished: run the workflow.")


def _mend(folder: Path) -> str:
    return f"delete {folder} and run the same command again; only this run is computed anew"


def curves(table: pd.DataFrame, metric: str, split: str, x: Axis = "rounds") -> pd.DataFrame:
    """One metric over all clients against an axis; columns configuration, round, x, value.

    Raises:
        AtlasError: if the table does not hold the metric or there is no such axis.
    """
    if x not in AXES:
        raise AtlasError(f"unknown axis '{x}'; there are: {', '.join(AXES)}.")
    rows = table[(table["client"] == OVER_ALL_CLIENTS) & (table["metric"] == metric) & (table["split"] == split)]
    if rows.empty:
        there = sorted({f"{s} {m}" for s, m in table[["split", "metric"]].drop_duplicates().itertuples(index=False)})
        raise AtlasError(f"there is no metric '{metric}' of split '{split}'; there are: {', '.join(there)}.")
    return rows[["configuration", "round", "value"]].assign(x=_positions(table, rows, x).to_numpy())


def _positions(table: pd.DataFrame, rows: pd.DataFrame, x: Axis) -> pd.Series:
    if x == "rounds":
        return rows["round"]
    names = ["bytes_down", "bytes_up"] if x == "bytes" else [AXES[x]]
    costs = table[(table["split"] == "cost") & table["metric"].isin(names)]
    totals = costs.groupby(["configuration", "round"])["value"].sum().rename("x")
    return rows.join(totals, on=["configuration", "round"])["x"]
