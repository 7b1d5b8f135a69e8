"""The tables that figures and interactive views draw."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import pandas as pd

from fedatlas.algorithms import algorithms
from fedatlas.claims.evidence import Evidence, curve
from fedatlas.claims.quantities import Metric
from fedatlas.experiments.results import Run
from fedatlas.experiments.selection import scores
from fedatlas.experiments.spec import Selection
from fedatlas.report.papers import Figure

Runs = Mapping[str, Mapping[int, Run]]  # of one experiment: [algorithm][seed]


def shown(evidence: Evidence, key: str, figure: Figure) -> Evidence:
    """The evidence of one experiment with the algorithms that the figure shows, in the figure's order."""
    runs = evidence.runs[key]
    chosen = {name: runs[name] for name in figure.algorithms if name in runs} or runs
    return dataclasses.replace(evidence, experiments={key: evidence.experiments[key]}, runs={key: chosen})


def federated(evidence: Evidence, key: str) -> Runs:
    """The runs of the algorithms that communicate."""
    return {name: runs for name, runs in evidence.runs[key].items() if algorithms[name].data == "cohort"}


def baselines(evidence: Evidence, key: str) -> Runs:
    """The runs of the baselines that do not; their rounds are epochs, so only where they end can be compared."""
    return {name: runs for name, runs in evidence.runs[key].items() if algorithms[name].data != "cohort"}


def names(runs: Runs) -> dict[str, str]:
    """Display name by algorithm."""
    return {algorithm: _any(by_seed).manifest["algorithm"]["name"] for algorithm, by_seed in runs.items()}


def colours(runs: Runs) -> dict[str, str]:
    """Registered colour by algorithm."""
    return {algorithm: _any(by_seed).manifest["algorithm"]["colour"] for algorithm, by_seed in runs.items()}


def _any(by_seed: Mapping[int, Run]) -> Run:
    return next(iter(by_seed.values()))


def best_curves(runs: Runs, metric: Metric) -> pd.DataFrame:
    """The selected configuration of every algorithm and seed; columns algorithm, seed, round, value."""
    frames = [
        curve(run, metric.metric, metric.split).rename("value").reset_index().assign(algorithm=algorithm, seed=seed)
        for algorithm, by_seed in runs.items()
        for seed, run in by_seed.items()
    ]
    return pd.concat(frames, ignore_index=True)


def last_value(runs: Mapping[int, Run], metric: Metric) -> float:
    """The mean over seeds of the selected configuration's last value."""
    return float(pd.Series([curve(run, metric.metric, metric.split).iloc[-1] for run in runs.values()]).mean())


def data_kind(runs: Runs) -> str:
    """Kind of the data of an experiment's runs, each once."""
    kinds = [run.manifest["dataset"]["kind"] for by_seed in runs.values() for run in by_seed.values()]
    return ", ".join(dict.fromkeys(kinds))


def sweep_run(by_seed: Mapping[int, Run]) -> Run:
    """The run that trained the whole grid."""
    return next(run for run in by_seed.values() if run.manifest["stage"] == "sweep")


def sweep_scores(run: Run) -> pd.Series:
    """The score by which configurations are selected, by configuration; NaN where one has diverged."""
    rule = Selection.model_validate(run.manifest["spec"]["select"])
    return scores(run.table, rule)
