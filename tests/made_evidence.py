"""Evidence in memory: runs whose curves and costs a test prescribes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
from fedatlas.claims.evidence import Evidence
from fedatlas.experiments.results import COLUMNS, Run

from fedatlas.experiments.spec import load_experiments

CONFIG = Path(__file__).parents[1] / "config"
GAP, ERROR = ("train", "stationarity_gap"), ("train", "relative_energy_error")


def made_run(
    algorithm: str,
    curves: Mapping[tuple[str, str], Sequence[Sequence[float]]],
    costs: Mapping[str, Sequence[float]] = {},
    grid: Sequence[Mapping[str, float]] = ({},),
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
    manifest = {
        "algorithm": {"id": algorithm, "method": "fedavg", "name": algorithm, "colour": "#123456"} | look,
        "configurations": [dict(one) for one in grid],
        "selected": {"configuration": 0},
        "diverged": {},
        "stage": "sweep",
        "seed": 0,
        "dataset": {"kind": "real", "clients": 2, "name": "made", "options": {}},
    }
    return Run(Path("nowhere"), manifest, pd.DataFrame(rows, columns=COLUMNS))


def made_evidence(runs: Mapping[str, Sequence[Run]]) -> Evidence:
    """Of experiments that exist, by key, one seed of each algorithm."""
    known = load_experiments(CONFIG / "experiments", "paper")
    by_key = {key: {run.manifest["algorithm"]["id"]: {0: run} for run in own} for key, own in runs.items()}
    experiments = {key: known[key] for key in runs}
    return Evidence("paper", known, experiments, by_key)
