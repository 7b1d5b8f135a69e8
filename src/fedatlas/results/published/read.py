"""Reading what is published."""

from __future__ import annotations

import collections
import functools
import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from fedatlas.algorithms import algorithms
from fedatlas.errors import AtlasError
from fedatlas.experiments.scales import Scale
from fedatlas.experiments.spec import Experiment, Known
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.manifest import Manifest
from fedatlas.results.published import clients_csv, sums
from fedatlas.results.published.as_run import as_run, changed_since
from fedatlas.results.published.curves_csv import CurvesTable
from fedatlas.results.run import Run
from fedatlas.results.table import COLUMNS

_NO_HYPERPARAMETERS = ("algorithm", "seed", "score", "selected")  # of the columns of a sweep
KEPT_SCALES = (Scale.PAPER, Scale.MEDIUM)  # those that are kept; of an experiment the first at which it was run


_FILES = {
    "metrics.csv": "curves (CSV)",
    "sweep.csv": "sweep (CSV)",
    "clients.csv": "clients (CSV)",
    "dots.csv": "dots (CSV)",
    "claims.json": "verdicts (JSON)",
    "manifest.json": "manifest (JSON)",
}


@dataclass(frozen=True)
class Published:
    """What is kept of one experiment at one scale.

    Attributes:
        results: its runs with as much of their tables as is kept: the selected configurations at some rounds, of the
            others what a scatter shows, and the scores of all. The experiment is as they were run.
        changed: the settings that its file has changed since.
    """

    folder: Path
    verdicts: list[dict[str, Any]]
    results: ExperimentResults
    changed: Sequence[str] = ()

    @property
    def key(self) -> str:
        return self.results.key

    @property
    def scale(self) -> Scale:
        return self.results.scale

    @property
    def experiment(self) -> Experiment:
        return self.results.experiment

    def files(self, pages: Path) -> list[tuple[str, str]]:
        """Its tables as links from `pages`: (words, address)."""
        found = [(words, self.folder / name) for name, words in _FILES.items() if (self.folder / name).is_file()]
        return [(words, os.path.relpath(path, pages)) for words, path in found]


def load_published(folder: Path, known: Known, paper: str = "*") -> dict[str, Published]:
    """What has been published, by experiment; empty if nothing has been.

    Args:
        folder: reports/published.
        known: the experiments at each of KEPT_SCALES.
        paper: whose experiments; of every paper if not given.

    Raises:
        AtlasError: if a file is not what was published, or an experiment that is not known any more was published.
    """
    sums.check(folder, paper)
    found = {}
    for path in sorted(folder.glob(f"{paper}/*/claims.json")):
        key = "/".join(path.parts[-3:-1])
        found[key] = _published(path.parent, key, known)
    return found


def _published(folder: Path, key: str, known: Known) -> Published:
    """The runs of the algorithms that the experiment has today; others stay in the files and are not shown."""
    verdicts, path = read_verdicts(folder / "claims.json"), folder / "manifest.json"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        scale = manifest["experiment"]["scale"]
        if key not in known.get(scale, {}):
            raise AtlasError(f"{folder} holds results of {key}, which is no experiment of {scale} scale: delete it.")
        today, tables = known[scale][key], _Tables(folder)
        experiment = as_run(manifest["experiment"], today, path)
        runs: dict[str, dict[int, Run]] = {}
        for own in (own for own in manifest["runs"] if own["algorithm"] in experiment.algorithms):
            runs.setdefault(own["algorithm"], {})[own["seed"]] = tables.run(manifest, own)
    except (OSError, ValueError, LookupError) as error:
        raise AtlasError(f"{folder} is not what `fedatlas publish` writes ({error}): publish it again.") from error
    return Published(folder, verdicts, ExperimentResults(experiment, runs), changed_since(experiment, today))


class KeptRun(Run):
    """A published run, whose metrics table is put together when it is first asked for: few pages show all of them."""

    _read: Callable[[], pd.DataFrame]

    def __init__(
        self,
        folder: Path,
        manifest: Manifest,
        table: pd.DataFrame | Callable[[], pd.DataFrame],
        kept_scores: tuple[float, ...] | None = None,
    ):
        own = {"folder": folder, "manifest": manifest, "kept_scores": kept_scores}
        self.__dict__.update(own, **({"_read": table} if callable(table) else {"table": table}))

    @functools.cached_property
    def table(self) -> pd.DataFrame:
        """The rows that are kept."""
        return self._read()


class _Tables:
    """The tables of one experiment's folder, from which its runs are read."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._sweep, self._metrics = pd.read_csv(folder / "sweep.csv"), CurvesTable(folder / "metrics.csv")
        self._dots = CurvesTable(folder / "dots.csv") if (folder / "dots.csv").is_file() else None
        self._clients = clients_csv.read(folder)

    def run(self, whole: Mapping[str, Any], own: Mapping[str, Any]) -> Run:
        """One run, from what the manifest says of all and of it."""
        algorithm, seed, is_sweep = own["algorithm"], own["seed"], own["stage"] == "sweep"
        grid, scores = self._grid(algorithm, seed if is_sweep else None)
        manifest = Manifest.model_validate(_manifest(whole, own) | {"configurations": grid})
        table = functools.partial(self._table, algorithm, seed, manifest, is_sweep)
        return KeptRun(self._folder, manifest, table, scores if is_sweep else None)

    @functools.cache  # noqa: B019 - one for each experiment, which goes with it
    def _grid(self, algorithm: str, seed: int | None) -> tuple[list[dict[str, float]], tuple[float, ...]]:
        """The configurations, and their scores in the sweep of a seed; in the first if it is None."""
        rows = self._configurations[algorithm]
        chosen = rows[0].get("seed") if seed is None and rows else seed
        mine = [row for row in rows if row.get("seed", chosen) == chosen]
        names = [name for name in self._sweep if name not in _NO_HYPERPARAMETERS]
        tried = [name for name in names if not all(math.isnan(row[name]) for row in mine)]
        return [{name: row[name] for name in tried} for row in mine], tuple(row["score"] for row in mine)

    @functools.cached_property
    def _configurations(self) -> Mapping[str, list[dict[str, Any]]]:
        """The rows of the sweeps by algorithm: to choose from a table takes pandas a hundred times as long."""
        found: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
        for algorithm, row in zip(self._sweep["algorithm"], self._sweep.to_dict("records"), strict=True):
            found[algorithm].append(row)
        return found

    def _table(self, algorithm: str, seed: int, manifest: Manifest, is_sweep: bool) -> pd.DataFrame:
        chosen = manifest.selected.configuration
        parts = [self._metrics.of(algorithm, seed, chosen)]
        if is_sweep and self._clients and seed == self._first_sweep(algorithm, seed):
            parts.append(clients_csv.as_rows(self._clients, algorithm, chosen))
        if is_sweep and self._dots is not None and self._dots.holds(algorithm, seed):
            parts.append(self._dots.of(algorithm, seed, chosen))
        if len(parts) == 1:
            return parts[0]
        return pd.concat(parts).drop_duplicates([name for name in COLUMNS if name != "value"], ignore_index=True)

    def _first_sweep(self, algorithm: str, seed: int) -> int:
        """The first of the seeds that swept, whose clients are kept; the given one if there is no other."""
        return self._configurations[algorithm][0].get("seed", seed)


def _manifest(whole: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """What the runs have in common and what is one run's own, as a run's manifest has it."""
    experiment, algorithm = whole["experiment"], own["algorithm"]
    look = own.get("look") or {"method": algorithm, "name": algorithms[algorithm].name,
                               "colour": algorithms[algorithm].colour}  # fmt: skip
    shared = {key: value for key, value in whole.items() if key not in ("runs", "seconds", "experiment")}
    about = {"paper": experiment["paper"], "experiment": experiment["id"], "scale": experiment["scale"]}
    return shared | about | dict(own) | {"algorithm": {"id": algorithm, **look}}


def read_verdicts(path: Path) -> list[dict[str, Any]]:
    """The verdicts of one claims.json.

    Raises:
        AtlasError: if it is missing or not such a file.
    """
    try:
        verdicts = json.loads(path.read_text(encoding="utf-8"))
        whole = all({"paper", "id", "status", "scale"} <= set(verdict) for verdict in verdicts)
        if whole and isinstance(verdicts, list):
            return verdicts
    except FileNotFoundError as error:
        raise AtlasError(f"{path} does not exist: run `fedatlas claims` first.") from error
    except (ValueError, TypeError):
        pass
    raise AtlasError(f"{path} is not a list of verdicts: run `fedatlas claims` (or `fedatlas publish`) again.")
