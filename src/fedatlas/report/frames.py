"""The tables that figures and interactive views draw."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import pandas as pd

from fedatlas.algorithms import algorithms
from fedatlas.claims.evidence import Evidence, curve
from fedatlas.claims.quantities import Metric
from fedatlas.experiments.results import Axis, Run, curves
from fedatlas.experiments.sections import Best, Selection
from fedatlas.experiments.selection import best_along, scores
from fedatlas.report.papers import Figure, Panel

Runs = Mapping[str, Mapping[int, Run]]  # of one experiment: [algorithm][seed]
AXIS_NAMES = {
    "rounds": "round",
    "communications": "communications",
    "bytes": "megabytes sent",
    "gradients": "gradient evaluations",
    "seconds": "seconds",
}
MEGA = 1e-6


def shown(evidence: Evidence, key: str, figure: Figure) -> Evidence:
    """The evidence of one experiment with the algorithms that the figure shows, in the figure's order.

    A reference solution is not among them.
    """
    reference = evidence.experiments[key].reference
    runs = {name: by_seed for name, by_seed in evidence.runs[key].items() if name != reference}
    chosen = {name: runs[name] for name in figure.algorithms if name in runs} or runs
    return dataclasses.replace(evidence, experiments={key: evidence.experiments[key]}, runs={key: chosen})


def other_scale(evidence: Evidence, key: str) -> str:
    """', medium scale' where an experiment's scale is not that of the whole."""
    experiment = evidence.experiments.get(key)
    return "" if experiment is None or experiment.scale == evidence.scale else f", {experiment.scale} scale"


def method(run: Run) -> str:
    """The registered algorithm of a run, of which there may be several variants in one experiment."""
    algorithm = run.manifest["algorithm"]
    return algorithm.get("method", algorithm["id"])


def is_variant(run: Run) -> bool:
    """Whether its name or colour is not that of the registered algorithm."""
    about, registered = run.manifest["algorithm"], algorithms[method(run)]
    return (about["id"], about["name"], about["colour"]) != (method(run), registered.name, registered.colour)


def federated(evidence: Evidence, key: str) -> Runs:
    """The runs of the algorithms that communicate."""
    return {name: runs for name, runs in evidence.runs[key].items() if _communicates(runs)}


def baselines(evidence: Evidence, key: str) -> Runs:
    """The runs of the baselines that do not; their rounds are epochs, so only where they end can be compared."""
    return {name: runs for name, runs in evidence.runs[key].items() if not _communicates(runs)}


def _communicates(by_seed: Mapping[int, Run]) -> bool:
    return algorithms[method(_any(by_seed))].data == "cohort"


def names(runs: Runs) -> dict[str, str]:
    """Display name by algorithm."""
    return {algorithm: _any(by_seed).manifest["algorithm"]["name"] for algorithm, by_seed in runs.items()}


def colours(runs: Runs) -> dict[str, str]:
    """Colour by algorithm."""
    return {algorithm: _any(by_seed).manifest["algorithm"]["colour"] for algorithm, by_seed in runs.items()}


def style_property(colour: str) -> str:
    """The name of the pages' style property that holds the colour as the theme shows it."""
    return f"--line-{colour.removeprefix('#').lower()}"


def style_colour(colour: str) -> str:
    """The colour as the pages' style writes it, following the theme."""
    return f"var({style_property(colour)})"


def _any(by_seed: Mapping[int, Run]) -> Run:
    return next(iter(by_seed.values()))


def holds(runs: Mapping[int, Run], metric: Metric) -> bool:
    """Whether the metric was recorded, which a reference solution does not do for the distance to itself."""
    table = _any(runs).table
    return bool(((table["metric"] == metric.metric) & (table["split"] == metric.split)).any())


def holding(runs: Runs, metric: Metric) -> Runs:
    """Those of the runs that recorded the metric."""
    return {algorithm: by_seed for algorithm, by_seed in runs.items() if holds(by_seed, metric)}


def of_panel(runs: Runs, panel: Panel) -> Runs:
    """Those of the runs that a panel shows."""
    shown = {name: by_seed for name, by_seed in runs.items() if not panel.algorithms or name in panel.algorithms}
    return holding(shown, panel)


def best_curve(run: Run, metric: Metric, against: Axis = "rounds") -> pd.DataFrame:
    """The selected configuration; columns round, x and value. Bytes are in millions."""
    rows = curves(run.table, metric.metric, metric.split, against)
    chosen = rows[rows["configuration"] == run.manifest["selected"]["configuration"]].sort_values("round")
    return chosen[["round", "x", "value"]].assign(x=chosen["x"] * (MEGA if against == "bytes" else 1))


def best_curves(runs: Runs, metric: Metric, against: Axis = "rounds") -> pd.DataFrame:
    """The selected configuration of every algorithm and seed; columns algorithm, seed, round, x, value."""
    frames = [
        best_curve(run, metric, against).assign(algorithm=algorithm, seed=seed)
        for algorithm, by_seed in holding(runs, metric).items()
        for seed, run in by_seed.items()
    ]
    columns = ["algorithm", "seed", "round", "x", "value"]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)


def last_value(runs: Mapping[int, Run], metric: Metric) -> float:
    """The mean over seeds of the selected configuration's last value; NaN if it has diverged with one of them."""
    return float(np.mean([curve(run, metric.metric, metric.split).iloc[-1] for run in runs.values()]))


def data_kind(runs: Runs) -> str:
    """Kind of the data of an experiment's runs, each once; real data by its name, which may differ between scales."""
    stores = [run.manifest["dataset"] for by_seed in runs.values() for run in by_seed.values()]
    kinds = [f"real ({s['name'].replace('_', ' ')})" if s["kind"] == "real" else s["kind"] for s in stores]
    return ", ".join(dict.fromkeys(kinds))


def sweep_run(by_seed: Mapping[int, Run]) -> Run:
    """The run that trained the whole grid."""
    return next(run for run in by_seed.values() if run.manifest["stage"] == "sweep")


def sweep_scores(run: Run) -> pd.Series:
    """The score by which configurations are selected, by configuration; NaN where one has diverged.

    Published runs bring it along, without the curves that it was computed from.
    """
    if "scores" in run.manifest:
        return pd.Series(run.manifest["scores"], dtype=float)
    rule = Selection.model_validate(run.manifest["spec"]["select"])
    return scores(run.table, rule)


def along(by_seed: Mapping[int, Run], name: str, best: Best) -> pd.DataFrame:
    """The score of the sweep against one hyper-parameter, the others as they are best on average over the seeds.

    Returns:
        A row for each value of `name`; columns value, score, least and greatest over the seeds; NaN where every
        configuration has diverged.
    """
    sweeps = [run for run in by_seed.values() if run.manifest["stage"] == "sweep"]
    grid = sweeps[0].manifest["configurations"]
    by_configuration = pd.concat([sweep_scores(run) for run in sweeps], axis=1).reindex(range(len(grid)))
    means = by_configuration.mean(axis=1, skipna=False)
    chosen = best_along(grid, means, name, best)
    seeds = by_configuration.loc[chosen]
    return pd.DataFrame(
        {
            "value": chosen.index,
            "score": means[chosen].to_numpy(),
            "least": seeds.min(axis=1, skipna=False).to_numpy(),
            "greatest": seeds.max(axis=1, skipna=False).to_numpy(),
        }
    )
