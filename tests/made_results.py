"""Results in memory: runs whose curves and costs a test prescribes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import configuration
import pandas as pd
from made_runs import made_manifest

from fedatlas.experiments.scales import Scale
from fedatlas.results.collection import ExperimentResults, Results
from fedatlas.results.run import Run
from fedatlas.results.table import COLUMNS

CONFIG = Path(__file__).parents[1] / "config"
GAP, ERROR = ("train", "stationarity_gap"), ("train", "relative_energy_error")


def made_run(
    algorithm: str,
    curves: Mapping[tuple[str, str], Sequence[Sequence[float]]],
    costs: Mapping[str, Sequence[float]] = {},
    grid: Sequence[Mapping[str, float]] = ({},),
    own: Mapping[str, object] = {},
    **look: str,
) -> Run:
    """A run of every round from 0: `curves` by (split, metric) and configuration, `costs` the same for all of them."""
    rows = [
        (configuration, number, -1, split, metric, value)
        for (split, metric), by_configuration in curves.items()
        for configuration, values in enumerate(by_configuration)
        for number, value in enumerate(values)
    ]
    length = len(next(iter(curves.values()))[0])
    costs = {name: range(length) for name in ("bytes_down", "bytes_up", "gradient_evaluations", "seconds")} | {
        "communications": range(length), **costs
    }  # fmt: skip
    rows += [
        (configuration, number, -1, "cost", cost, value)
        for cost, values in costs.items()
        for configuration in range(len(grid))
        for number, value in enumerate(values)
    ]
    manifest = made_manifest(
        algorithm={"id": algorithm, "method": "fedavg", "name": algorithm, "colour": "#123456"} | look,
        configurations=[dict(one) for one in grid],
        trained=list(range(len(grid))),
        **own,
    )
    return Run(Path("nowhere"), manifest, pd.DataFrame(rows, columns=COLUMNS))


def made_results(runs: Mapping[str, Sequence[Run]]) -> Results:
    """Of experiments that exist, by key; several runs of an algorithm are of as many seeds."""
    known = configuration.known("paper")
    return Results(Scale.PAPER, known, {key: ExperimentResults(known[key], _by_seed(own)) for key, own in runs.items()})


def made_experiment(key: str, *runs: Run) -> ExperimentResults:
    """The results of one of them."""
    return made_results({key: runs}).experiments[key]


def _by_seed(runs: Sequence[Run]) -> dict[str, dict[int, Run]]:
    found: dict[str, dict[int, Run]] = {}
    for run in runs:
        found.setdefault(run.manifest.algorithm.id, {})[run.manifest.seed] = run
    return found
