"""Run folders in the documented format, with curves that a test prescribes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fedatlas.experiments.runs import RunId, runs_of
from fedatlas.experiments.scales import Scale
from fedatlas.experiments.spec import Experiment
from fedatlas.results.collection import ExperimentResults, Results
from fedatlas.results.manifest import Manifest
from fedatlas.results.run import Run, save_run
from fedatlas.results.run_files import Model

METRICS = [
    ("model", "f1"), ("model", "precision"), ("model", "recall"), ("model", "density"), ("model", "recovery_error"),
    ("model", "norm"),
    ("model", "rank"), ("model", "server_rate"), ("model", "rank_error"), ("model", "violation"), ("model", "distance"),
    ("train", "stationarity_gap"), ("train", "cross_entropy"),
    *((split, metric) for split in ("train", "validation", "test") for metric in ("loss", "objective", "accuracy")),
]  # fmt: skip
OF_REFERENCE = [("train", "relative_energy_error"), ("model", "squared_solution_error")]  # where there is a solution
OF_CHAINS = [("model", "squared_gradient"), ("model", "links_reached")]
OF_MIXTURES = [
    ("model", "component_distance"), ("train", "weights_distance"), ("train", "clusters"), ("train", "entropy"),
]  # fmt: skip
CLIENTS = 12  # whose own values are made, where clients have models of their own
COSTS = {"communications": 1, "bytes_down": 41_000, "bytes_up": 41_000, "gradient_evaluations": 1280, "seconds": 0.4}
SPEED = {"feddualavg": 15, "feddualavg_osp": 40, "fedmid": 400, "fedmid_osp": 300, "centralized": 10}

Curve = Callable[[RunId, int, str, str, np.ndarray], np.ndarray]  # run, configuration, split, metric, rounds


def saturating(run: RunId, configuration: int, split: str, metric: str, rounds: np.ndarray) -> np.ndarray:
    """Scores that approach one, slower for worse algorithms and for configurations far from the best."""
    speed = SPEED.get(run.algorithm, 30) * (1 + 0.4 * abs(configuration - best(run))) * (1 + 0.05 * run.seed)
    score = 1 - 0.6 * np.exp(-rounds / speed)
    if metric in ("f1", "precision", "recall", "accuracy"):
        return score
    return 0.5 / score if metric == "density" else 30 * (1 - score) + 0.1


def best(run: RunId) -> int:
    return min(3, len(run.configurations) - 1)


def write_runs(
    folder: Path,
    experiments: Iterable[Experiment],
    curve: Curve = saturating,
    diverged: Callable[[RunId], Iterable[int]] = lambda run: (),
    choose: Callable[[RunId], int] = best,
) -> None:
    """Writes every run of the experiments under `folder`."""
    for run in runs_of(experiments):
        save_run(folder / run.folder, *made(run, curve, set(diverged(run)), choose(run)))


def write_run(folder: Path, run: RunId, curve: Curve, diverged: set[int], chosen: int) -> None:
    save_run(folder, *made(run, curve, diverged, chosen))


def results_in_memory(known: Mapping[str, Experiment], scale: str) -> Results:
    """Whole runs of every experiment that is run at this scale, none of them on disk."""
    runs: dict[str, dict[str, dict[int, Run]]] = {}
    for run in runs_of(known.values()):
        manifest, table, _ = made(run, saturating, set(), best(run))
        by_seed = runs.setdefault(run.experiment.key, {}).setdefault(run.algorithm, {})
        by_seed[run.seed] = Run(run.folder, manifest, table)
    return Results(Scale(scale), known, {key: ExperimentResults(known[key], own) for key, own in runs.items()})


def made(run: RunId, curve: Curve, diverged: set[int], chosen: int) -> tuple[Manifest, pd.DataFrame, Model]:
    """The manifest, the metrics table and the model of a run."""
    spec = run.spec
    rounds = np.arange(0, spec.training.rounds + 1, spec.evaluation.every)
    trained = list(range(len(run.configurations))) if run.stage == "sweep" else [chosen]
    curves: dict[tuple[int, str, str], np.ndarray] = {}
    of_problem = OF_CHAINS if spec.problem.name == "chain" else []
    metrics = dict.fromkeys([*METRICS, *of_problem, *(OF_REFERENCE if run.reference_run else []), *_personal(spec)])
    for configuration, (split, metric) in itertools.product(trained, metrics):
        values = np.full(len(rounds), math.nan) if configuration in diverged else None
        values = curve(run, configuration, split, metric, rounds) if values is None else values
        curves[configuration, split, metric] = np.asarray(values, dtype=float)
    for configuration, (metric, each) in itertools.product(trained, COSTS.items()):
        federated = run.method.data == "cohort" or not metric.startswith(("bytes", "communications"))
        curves[configuration, "cost", metric] = rounds * each * federated * 1.0
    table = _table({(number, -1, *of): values for (number, *of), values in curves.items()}, rounds)
    if spec.evaluation.personal:
        table = pd.concat([table, _table(_of_clients(spec, chosen), rounds[-1:])], ignore_index=True)
    return _manifest(run, trained, diverged, chosen), table, Model(chosen, np.linspace(-1, 1, 40))


def _table(curves: Mapping[tuple[int, int, str, str], np.ndarray], rounds: np.ndarray) -> pd.DataFrame:
    """The rows of these curves, by configuration, client, split and metric."""
    dtypes = (int, int, object, object)
    names = (np.array(part, dtype) for part, dtype in zip(zip(*curves, strict=True), dtypes, strict=True))
    configuration, client, split, metric = (np.repeat(part, len(rounds)) for part in names)
    return pd.DataFrame(
        {"configuration": configuration, "round": np.tile(rounds, len(curves)), "client": client, "split": split,
         "metric": metric, "value": np.concatenate([*curves.values()])}
    )  # fmt: skip


def _personal(spec: Experiment) -> list[tuple[str, str]]:
    """What is recorded besides where clients have models of their own."""
    if not spec.evaluation.personal:
        return []
    splits = spec.evaluation.splits
    unseen = [("unseen_train", "entropy")] if "unseen_train" in splits else []
    of_mixture = [*OF_MIXTURES, *unseen] if spec.problem.components else []
    return [*itertools.product(splits, ("loss", "objective", "accuracy", "accuracy_decile")), *of_mixture]


def _of_clients(spec: Experiment, chosen: int) -> dict[tuple[int, int, str, str], np.ndarray]:
    """The clients' own values after the last round: the later the client, the better it is."""
    splits, components = spec.evaluation.splits, spec.problem.components
    found: dict[tuple[int, int, str, str], float] = {}
    for client in range(CLIENTS):
        values = {(split, "accuracy"): 0.5 + client / 40 for split in splits}
        if components:
            true = (np.arange(components) == client % components).astype(float)
            learned = 0.6 * true + 0.4 / components
            for split in {"train", "unseen_train"} & set(splits):
                values[split, "entropy"] = float(-(learned * np.log(learned)).sum())
                values |= {(split, f"weight_{m}"): weight for m, weight in enumerate(learned, 1)}
            values |= {("train", f"true_weight_{m}"): weight for m, weight in enumerate(true, 1)}
        found |= {(chosen, client, *of): value for of, value in values.items()}
    return {of: np.array([value], float) for of, value in found.items()}


def _kind(run: RunId) -> str:
    return "stand-in" if run.spec.dataset.options.get("stand_in") else "synthetic as in the paper"


def _manifest(run: RunId, trained: list[int], diverged: set[int], chosen: int) -> Manifest:
    variant = run.experiment.variant(run.algorithm)
    return made_manifest(
        paper=run.experiment.paper, experiment=run.experiment.id, scale=run.experiment.scale, seed=run.seed,
        stage=run.stage,
        algorithm={"id": run.algorithm, "method": variant.algorithm, "name": run.label, "colour": run.colour,
                   "citation": run.method.citation},
        configurations=run.configurations, trained=trained,
        diverged=dict.fromkeys(sorted(diverged & set(trained)), 20),
        selected={"configuration": chosen, "value": 0.9},
        spec=run.spec.model_dump(mode="json"),
        dataset={"id": run.dataset_id, "name": run.spec.dataset.name, "options": run.spec.dataset.options,
                 "seed": run.seed, "kind": _kind(run), "sha256": "ab" * 32, "clients": 64, "examples": 8192},
    )  # fmt: skip


def made_manifest(**own: Any) -> Manifest:
    """A manifest as the runner writes it; `own` are the keys that a test is about."""
    usual = {
        "paper": "toy", "experiment": "toy", "scale": "paper", "seed": 0, "stage": "sweep",
        "algorithm": {"id": "fedavg", "method": "fedavg", "name": "fedavg", "colour": "#123456"},
        "configurations": [{}], "trained": [0], "diverged": {}, "selected": {"configuration": 0, "value": 0.9},
        "dataset": {"id": "made-0", "name": "made", "options": {}, "seed": 0, "kind": "real", "sha256": "ab" * 32,
                    "clients": 2, "examples": 8},
        "engine": "inprocess", "shards": 1, "precision": "float32", "compile": "xla", "num_params": 1025,
        "versions": {"python": "3.11.2", "tensorflow": "2.14.1", "tensorflow_federated": "0.87.0", "fedatlas": "0.1.0"},
        "commit": "0123456789abcdef0123456789abcdef01234567", "dirty": False, "started": "2025-01-02T03:04:05+00:00",
        "seconds": {"total": 41.5, "train": 30.1, "evaluate": 4.2, "first_round": 3.9},
        "peak_memory_mb": 812.5, "processor": "Abacus(R) CPU with thirteen rods @ 2.50 beads", "cores": 2, "threads": 2,
    }  # fmt: skip
    return Manifest.model_validate(usual | own)
