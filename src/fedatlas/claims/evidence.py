"""The metrics tables that claims and pages are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from fedatlas.errors import AtlasError
from fedatlas.experiments.results import Run, curves, load_run
from fedatlas.experiments.runs import RunId, runs_of
from fedatlas.experiments.spec import Experiment


class RoundMissingError(AtlasError):
    """A claim asks for a round at which the run was not evaluated."""


@dataclass(frozen=True)
class Evidence:
    """All runs of one scale.

    Attributes:
        known: every experiment of the atlas by its key, run or not, at this scale or not.
        experiments: those that were run, by key.
        runs: [experiment key][algorithm][seed].
    """

    scale: str
    known: Mapping[str, Experiment]
    experiments: Mapping[str, Experiment]
    runs: Mapping[str, Mapping[str, Mapping[int, Run]]]

    def of(self, key: str, algorithm: str) -> Mapping[int, Run]:
        """The runs of one algorithm on one experiment, by seed.

        Raises:
            AtlasError: if the experiment does not have the algorithm.
        """
        self.experiments[key].for_algorithm(algorithm)
        return self.runs[key][algorithm]


def collect(folder: Path, known: Mapping[str, Experiment], scale: str, chosen: list[str] | None = None) -> Evidence:
    """Reads the runs under `folder` of the `chosen` experiments (all of this scale if None).

    Raises:
        AtlasError: if a chosen experiment is unknown, or one of its runs is missing or cut off.
    """
    here = {key: experiment for key, experiment in known.items() if experiment.runs_here}
    for key in chosen or []:
        if key not in here:
            raise AtlasError(f"unknown experiment '{key}'; there are: {', '.join(here)}.")
    experiments = {key: here[key] for key in here if chosen is None or key in chosen}
    runs: dict[str, dict[str, dict[int, Run]]] = {}
    for run in runs_of(experiments.values()):
        by_algorithm = runs.setdefault(run.experiment.key, {})
        by_algorithm.setdefault(run.algorithm, {})[run.seed] = _as_called_now(run, load_run(folder / run.folder))
    return Evidence(scale, known, experiments, runs)


def _as_called_now(run: RunId, found: Run) -> Run:
    """The run with the label and colour that its experiment's file gives it today, for a new one re-runs nothing."""
    look = {"name": run.label, "colour": run.colour}
    return replace(found, manifest={**found.manifest, "algorithm": {**found.manifest["algorithm"], **look}})


def curves_of(run: Run, metric: str, split: str) -> pd.DataFrame:
    """The metric of every configuration over all clients; columns configuration, round, x, value.

    Raises:
        AtlasError: if the table does not hold the metric; lists those that it holds.
    """
    try:
        return curves(run.table, metric, split)
    except AtlasError as error:
        raise AtlasError(f"{run.folder}: {error}") from error


def curve(run: Run, metric: str, split: str) -> pd.Series:
    """The metric of the selected configuration over all clients, by round.

    Raises:
        AtlasError: if the table does not hold the metric; lists those that it holds.
    """
    rows = curves_of(run, metric, split)
    chosen = rows[rows["configuration"] == run.manifest["selected"]["configuration"]]
    return chosen.set_index("round")["value"].sort_index()
