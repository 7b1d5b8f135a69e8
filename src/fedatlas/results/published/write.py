"""Writing what is published, compact enough to be kept in git."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from fedatlas.algorithms import algorithms
from fedatlas.files import write_text
from fedatlas.results import summary
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.metric import Metric
from fedatlas.results.published import clients_csv
from fedatlas.results.run import Run
from fedatlas.results.table import OVER_ALL_CLIENTS

LIMIT = 400_000  # bytes of a metrics table: of seven seeds and fifty rounds it keeps every number
_COMMON = ("engine", "shards", "precision", "num_params", "versions", "processor", "cores", "threads")
_OWN = ("seed", "stage", "dataset", "selected", "diverged", "commit", "dirty", "started", "seconds", "peak_memory_mb")


def write_results(folder: Path, results: ExperimentResults, verdicts: Sequence[dict[str, Any]]) -> None:
    """Writes the tables, the manifest and the verdicts of one experiment."""
    write_text(folder / "claims.json", as_text(verdicts))
    write_text(folder / "metrics.csv", metrics_table(results))
    write_text(folder / "sweep.csv", sweep_table(results))
    write_text(folder / "manifest.json", as_text(_manifest(results)))
    clients = clients_csv.as_text(results)
    if clients is None:
        (folder / clients_csv.FILE).unlink(missing_ok=True)
    else:
        write_text(folder / clients_csv.FILE, clients)


def metrics_table(results: ExperimentResults, limit: int = LIMIT) -> str:
    """CSV of the selected configurations, one column per metric; every other round goes until it fits `limit` bytes.

    Every run keeps its own first and last round: one that diverged early has numbers at the first alone, and some are
    shorter than others.
    """
    tables = [
        run.by_round()[_columns(run)].rename_axis(columns="name").assign(algorithm=algorithm, seed=seed)
        for algorithm, by_seed in results.runs.items()
        for seed, run in by_seed.items()
    ]
    table = pd.concat(tables).set_index(["algorithm", "seed"], append=True).reorder_levels([1, 2, 0])
    numbers = table.index.get_level_values("round")
    own = table.assign(round=numbers).groupby(["algorithm", "seed"])["round"]
    is_end = (numbers == own.transform("min")) | (numbers == own.transform("max"))
    rounds = sorted(table.index.unique("round"))
    while True:
        text = table[table.index.isin(rounds, level="round") | is_end].to_csv(float_format="%.5g")
        if len(text) <= limit or len(rounds) == 1:
            return text
        rounds = rounds[::-1][::2][::-1]


def _columns(run: Run) -> list[str]:
    return [f"{split}_{metric}" for split, metric in sorted(run.metrics)]


def sweep_table(results: ExperimentResults) -> str:
    """CSV of every configuration's score, by seed where several seeds have a sweep."""
    tables = []
    for algorithm, by_seed in results.runs.items():
        sweeps = {seed: run for seed, run in by_seed.items() if run.is_sweep}
        for seed, run in sweeps.items():
            grid = pd.DataFrame(run.grid).assign(score=run.scores)
            grid.insert(0, "algorithm", algorithm)
            if len(sweeps) > 1:
                grid.insert(1, "seed", seed)
            tables.append(grid.assign(selected=grid.index == run.selected))
    return pd.concat(tables).to_csv(index=False, float_format="%.5g")


def dots_table(results: ExperimentResults, metrics: Iterable[Metric], rounds: Sequence[int]) -> str:
    """CSV of some metrics after some rounds and the last, of every configuration, as `sweep_table` has the seeds."""
    tables = []
    for algorithm, by_seed in results.runs.items():
        sweeps = {seed: run for seed, run in by_seed.items() if run.is_sweep}
        for seed, run in sweeps.items():
            wide = _dots(run, [*metrics], rounds)
            wide.insert(0, "algorithm", algorithm)
            if len(sweeps) > 1:
                wide.insert(1, "seed", seed)
            tables.append(wide)
    return pd.concat(tables).to_csv(index=False, float_format="%.5g")


def _dots(run: Run, metrics: Sequence[Metric], rounds: Sequence[int]) -> pd.DataFrame:
    names = {(metric.split, metric.metric) for metric in metrics}
    wanted = run.table["round"].isin([*rounds, run.table["round"].max()])
    rows = run.table[(run.table["client"] == OVER_ALL_CLIENTS) & wanted]
    rows = rows[[pair in names for pair in zip(rows["split"], rows["metric"], strict=True)]]
    rows = rows.assign(name=rows["split"] + "_" + rows["metric"])
    return rows.pivot(index=["configuration", "round"], columns="name", values="value").reset_index()


def _manifest(results: ExperimentResults) -> dict[str, Any]:
    runs = [run.manifest.model_dump(mode="json") for run in results.all]
    common = {name: runs[0][name] for name in _COMMON}
    own = [
        _algorithm(run["algorithm"])
        | {name: run[name] for name in _OWN}
        | {name: run[name] for name in _COMMON if run[name] != common[name]}
        | _where_given(run)
        for run in runs
    ]
    return {
        "experiment": results.experiment.model_dump(mode="json", exclude_none=True),
        **common,
        "seconds": summary.seconds(results.all),
        "runs": own,
    }


def _where_given(run: dict[str, Any]) -> dict[str, Any]:
    """What only some runs have: how fast their machine was, and the other commits at which they went on."""
    return {name: run[name] for name in ("yardstick", "resumed") if run[name]}


def _algorithm(about: dict[str, str]) -> dict[str, Any]:
    """Its id, and how a variant of a registered algorithm looks."""
    registered = algorithms[about["method"]]
    if (about["id"], about["name"], about["colour"]) == (about["method"], registered.name, registered.colour):
        return {"algorithm": about["id"]}
    return {"algorithm": about["id"], "look": {name: about[name] for name in ("method", "name", "colour")}}


def as_text(content: Any) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
