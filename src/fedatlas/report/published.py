"""Results at the papers' own scale, or else at medium scale, that are kept in git, as `publish` wrote them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fedatlas.algorithms import algorithms
from fedatlas.claims.evidence import Evidence
from fedatlas.errors import AtlasError
from fedatlas.experiments.results import COLUMNS, OVER_ALL_CLIENTS, Run
from fedatlas.experiments.spec import Experiment
from fedatlas.report import client_table, frames, provenance

_NAME = re.compile(r"((?:unseen_)?[a-z]+)_(.*)")  # of a column: split and metric
SCALES = ("paper", "medium")  # those that are kept; of an experiment the first at which it was run
LABELS = {"paper": "The paper's own scale", "medium": "Medium scale, for a few hours on two cores"}


@dataclass(frozen=True)
class Published:
    """One experiment at one scale.

    Attributes:
        evidence: its runs with as much of their tables as is kept: the selected configurations at some rounds, of the
            others what a scatter shows, and in the manifests of sweeps the `scores` of all.
    """

    key: str
    folder: Path
    verdicts: list[dict[str, Any]]
    evidence: Evidence

    @property
    def scale(self) -> str:
        return self.evidence.scale

    @property
    def label(self) -> str:
        """What its pictures are headed by."""
        return f"{LABELS[self.scale]}, published with the atlas"

    @property
    def runs(self) -> list[Run]:
        return provenance.all_runs(self.evidence, self.key)

    @property
    def kind(self) -> str:
        return frames.data_kind(self.evidence.runs[self.key])

    @property
    def experiment(self) -> Experiment:
        return self.evidence.experiments[self.key]

    def picture(self, stem: str, pages: Path | None = None) -> str | None:
        """The address of a picture, if it was published, from `pages`; if not given, these are around `published`."""
        found = next((path for path in sorted(self.folder.glob(f"{stem}.*"))), None)
        return None if found is None else os.path.relpath(found, pages or self.folder.parents[2])


def load_published(
    folder: Path, known: Mapping[str, Mapping[str, Experiment]], paper: str = "*"
) -> dict[str, Published]:
    """What has been published, by experiment; empty if nothing has been.

    Args:
        folder: reports/published.
        known: the experiments at each of SCALES.
        paper: whose experiments; of every paper if not given.

    Raises:
        AtlasError: if a file is not what `publish` writes, or an experiment that is not known any more was published.
    """
    found = {}
    for path in sorted(folder.glob(f"{paper}/*/claims.json")):
        key = "/".join(path.parts[-3:-1])
        found[key] = Published(key, path.parent, read_verdicts(path), _evidence(path.parent, key, known))
    return found


def _evidence(folder: Path, key: str, known: Mapping[str, Mapping[str, Experiment]]) -> Evidence:
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        scale = manifest["experiment"]["scale"]
        if key not in known.get(scale, {}):
            raise AtlasError(f"{folder} holds results of {key}, which is no experiment of {scale} scale: delete it.")
        metrics, sweep = (pd.read_csv(folder / name) for name in ("metrics.csv", "sweep.csv"))
        dots = pd.read_csv(folder / "dots.csv") if (folder / "dots.csv").is_file() else None
        runs: dict[str, dict[int, Run]] = {}
        for own in manifest["runs"]:
            run = _run(folder, manifest, own, metrics, sweep, dots)
            runs.setdefault(own["algorithm"], {})[own["seed"]] = run
    except (OSError, ValueError, KeyError) as error:
        raise AtlasError(f"{folder} is not what `fedatlas publish` writes ({error}): publish it again.") from error
    return Evidence(scale, known[scale], {key: known[scale][key]}, {key: runs})


def _run(folder: Path, manifest: Mapping, own: Mapping, metrics, sweep, dots) -> Run:
    mine = sweep[sweep["algorithm"] == own["algorithm"]]
    if "seed" in mine:
        mine = mine[mine["seed"] == own["seed"]]
    grid = mine.drop(columns=["algorithm", "seed", "score", "selected"], errors="ignore")
    whole = {name: value for name, value in manifest.items() if name not in ("runs", "seconds", "experiment")} | dict(
        own
    )
    whole["algorithm"] = _look(own)
    whole["configurations"] = grid.dropna(axis=1, how="all").to_dict("records")
    if own["stage"] == "sweep":
        whole["scores"] = mine["score"].to_list()
    rows = metrics[(metrics["algorithm"] == own["algorithm"]) & (metrics["seed"] == own["seed"])]
    chosen = own["selected"]["configuration"]
    tables = [_long(rows.assign(configuration=chosen))]
    if own["stage"] == "sweep" and (text := client_table.read(folder)):
        tables.append(client_table.as_rows(text, own["algorithm"], chosen))
    if dots is not None and own["stage"] == "sweep" and own["algorithm"] in set(dots["algorithm"]):
        tables.append(_long(dots[dots["algorithm"] == own["algorithm"]]))
    if len(tables) > 1:
        tables = [pd.concat(tables).drop_duplicates([name for name in COLUMNS if name != "value"], ignore_index=True)]
    return Run(folder, whole, tables[0])


def _look(own: Mapping[str, Any]) -> dict[str, str]:
    """The algorithm as a run's manifest has it; what was published without a name is a registered one."""
    id, look = own["algorithm"], own.get("look")
    if look is None:
        return {"id": id, "method": id, "name": algorithms[id].name, "colour": algorithms[id].colour}
    return {"id": id, **look}


def _long(wide: pd.DataFrame) -> pd.DataFrame:
    """The metrics table of columns `<split>_<metric>`, those that the run does not hold left out."""
    wide = wide.drop(columns=["algorithm", "seed"], errors="ignore").dropna(axis=1, how="all")
    names = [name for name in wide.columns if name not in ("configuration", "round")]
    splits, metrics = zip(*(_NAME.fullmatch(name).groups() for name in names), strict=True)
    index = {name: np.tile(wide[name], len(names)) for name in ("configuration", "round")}
    index |= {
        "client": OVER_ALL_CLIENTS,
        "split": np.repeat(splits, len(wide)),
        "metric": np.repeat(metrics, len(wide)),
    }
    return pd.DataFrame({**index, "value": wide[names].to_numpy(float).T.ravel()})[list(COLUMNS)]


def read_verdicts(path: Path) -> list[dict[str, Any]]:
    """The verdicts of one claims.json.

    Raises:
        AtlasError: if it is missing or not such a file.
    """
    try:
        verdicts = json.loads(path.read_text(encoding="utf-8"))
        if all({"paper", "id", "status", "scale"} <= set(verdict) for verdict in verdicts):
            return verdicts
    except FileNotFoundError as error:
        raise AtlasError(f"{path} does not exist: run `fedatlas claims` first.") from error
    except (ValueError, TypeError):
        pass
    raise AtlasError(f"{path} is not a list of verdicts: run `fedatlas claims` (or `fedatlas publish`) again.")
