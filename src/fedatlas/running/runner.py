"""One run: an algorithm on an experiment with a seed, from the client store to a metrics table and a manifest."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from fedatlas.data.store import ClientStore
from fedatlas.errors import AtlasError
from fedatlas.experiments.runs import RunId
from fedatlas.experiments.strength import resolved
from fedatlas.federated import engines
from fedatlas.federated.simulation import Simulation
from fedatlas.files import writing
from fedatlas.machine import cores, yardstick
from fedatlas.results.freshness import is_fresh
from fedatlas.results.manifest import Manifest
from fedatlas.results.mixture_recovery import true_weights
from fedatlas.results.run import Run, load_run, save_run
from fedatlas.results.run_files import Model
from fedatlas.results.selection import scores, select
from fedatlas.running import provenance
from fedatlas.running.checkpoint import Checkpoint
from fedatlas.running.metrics import Optimum, Recorder
from fedatlas.running.setup import Machine, cohort_size, make_setting
from fedatlas.seeds import seed_for

SECONDS_BETWEEN_CHECKPOINTS = 15.0
LONG = 20.0  # seconds of a run to which the tenth of a second that the yardstick takes is nothing


@dataclass(frozen=True)
class Progress:
    """What a watcher is told after every evaluation: rounds done, rounds in all, and the table so far."""

    round: int
    rounds: int
    recorder: Recorder

    @property
    def table(self) -> pd.DataFrame:
        return self.recorder.table()


class Earlier(NamedTuple):
    """What a run takes from earlier runs: the numbers of the configurations to train, and the optimum, if known."""

    trained: list[int]
    optimum: Optimum | None


def train(
    run: RunId,
    store_path: Path,
    runs_folder: Path,
    machine: Machine | None = None,
    watch: Callable[[Progress], None] = lambda progress: None,
) -> Run:
    """Trains a run, or goes on from its checkpoint, and writes it under `runs_folder`.

    Args:
        store_path: the client store that `run.dataset_id` names.
        watch: called after every evaluation.

    Raises:
        AtlasError: if the store is damaged, a run that this one needs is missing or has other settings, or nothing can
            be written.
    """
    machine = machine or Machine()
    folder = runs_folder / run.folder
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    store = ClientStore.open(store_path)
    earlier = Earlier(_trained(run, runs_folder), _optimum(run, runs_folder))
    engines.install(machine.engine, machine.threads)
    return _Execution(run, store, machine, earlier, folder).to_the_end(watch)


def _trained(run: RunId, runs_folder: Path) -> list[int]:
    """The numbers of the configurations that a run trains."""
    if run.stage == "sweep":
        return list(range(len(run.configurations)))
    return [select(_earlier(run.sweep_run, runs_folder).table, run.spec.select)[0]]


def _optimum(run: RunId, runs_folder: Path) -> Optimum | None:
    """The solution of the training problem, where the experiment has a run that finds it."""
    if run.reference_run is None:
        return None
    reference = _earlier(run.reference_run, runs_folder)
    optimum = Optimum(reference.last("objective", "train"), reference.model.params)
    if not optimum.objective > 0:
        raise AtlasError(
            f"{runs_folder / run.reference_run.folder} ends at the training objective {optimum.objective:g}, but the "
            "relative energy error is a share of it, which must be above zero: leave out 'reference' in the "
            "experiment's file."
        )
    return optimum


def _check_same_parameters(run: RunId, optimum: Optimum, size: int) -> None:
    if len(optimum.params) != size:
        raise AtlasError(
            f"The model of the 'reference' {run.spec.reference} has {len(optimum.params)} parameters, that of "
            f"{run.algorithm} {size}: give both the same 'problem' in the experiment's file."
        )


def _earlier(run: RunId, runs_folder: Path) -> Run:
    """The finished run that another one needs, of the settings that the other one has too."""
    found = load_run(runs_folder / run.folder)
    if not is_fresh(run, found.manifest):
        raise AtlasError(
            f"{runs_folder / run.folder} was trained with other settings: train {run.algorithm} with seed {run.seed} "
            "and these settings first."
        )
    return found


class _Execution:
    """The rounds of one run, from its beginning or its checkpoint."""

    def __init__(self, run: RunId, store: ClientStore, machine: Machine, earlier: Earlier, folder: Path):
        choice = run.spec.problem
        penalty, self._strength = resolved(choice.name, choice.penalty.options, store)
        run = run.with_penalty(penalty)
        trained = earlier.trained
        self._run, self._store, self._machine, self._trained, self._folder = run, store, machine, trained, folder
        setting = make_setting(run, store, machine)
        self._setting = setting
        if earlier.optimum is not None:
            _check_same_parameters(run, earlier.optimum, setting.problem.num_params)
        size = cohort_size(run, setting.readers["train"].num_clients)
        self._shards = 1 if setting.pooled else machine.shards_of(size)
        seed = seed_for(run.seed, "cohort")
        self._simulation = Simulation(setting, size, seed, self._shards, np.array(trained))
        self._recorder = Recorder(trained, earlier.optimum, true_weights(store, choice.components))
        self._origin = provenance.origin()
        self._seconds = {"total": 0.0, "train": 0.0, "evaluate": 0.0, "first_round": 0.0}
        taken = (trained, earlier.optimum and earlier.optimum.objective)
        about = vars(machine) | {"library": machine.library or provenance.program()}
        fingerprint = json.dumps(
            [run.spec.model_dump(mode="json"), run.seed, store.sha256, taken, about, provenance.versions()]
        )
        self._checkpoint = Checkpoint(folder / "checkpoint.npz", fingerprint)

    def to_the_end(self, watch: Callable[[Progress], None]) -> Run:
        spec, rounds = self._run.spec, self._run.spec.training.rounds
        begun = saved = time.perf_counter()
        if not self._resume():
            self._evaluate()
        before = self._seconds["total"]
        while self._simulation.round < rounds:
            self._advance()
            if not spec.evaluates(self._simulation.round):
                continue
            self._evaluate()
            self._simulation.retire()
            self._choose()
            now = time.perf_counter()
            self._seconds["total"] = before + now - begun
            if now - saved > SECONDS_BETWEEN_CHECKPOINTS and self._simulation.round < rounds:
                self._save()
                saved = now
            watch(Progress(self._simulation.round, rounds, self._recorder))
        return self._finish()

    def _advance(self) -> None:
        begun = time.perf_counter()
        costs = self._simulation.advance()
        seconds = time.perf_counter() - begun
        self._seconds["first_round"] = self._seconds["first_round"] or seconds
        self._seconds["train"] += seconds
        self._recorder.count(self._simulation, costs, seconds)

    def _evaluate(self) -> None:
        begun = time.perf_counter()
        spec = self._run.spec
        last = self._simulation.round >= spec.training.rounds
        self._recorder.evaluate(self._simulation, spec.evaluation.splits, bool(spec.evaluation.personal), last)
        self._seconds["evaluate"] += time.perf_counter() - begun

    def _choose(self) -> None:
        """At the round at which a sweep is decided, goes on with the selected configuration alone."""
        rule = self._run.spec.select
        if self._simulation.round == rule.until and len(self._simulation.active) > 1:
            self._simulation.keep(select(self._recorder.table(), rule)[0])

    def _resume(self) -> bool:
        found = self._checkpoint.load()
        if found is None:
            return False
        progress, arrays = found
        self._recorder.restore(arrays)
        self._recorder.diverged = {int(number): at for number, at in progress["diverged"].items()}
        self._seconds = progress["seconds"]
        self._origin = self._origin.resumes(provenance.Origin(**progress["origin"]))
        kept = ("table_", "cost_")
        self._simulation.restore({name: a for name, a in arrays.items() if not name.startswith(kept)})
        return True

    def _save(self) -> None:
        recorder = self._recorder
        progress = {"diverged": recorder.diverged, "seconds": self._seconds, "origin": self._origin._asdict()}
        self._checkpoint.save(progress, self._simulation.snapshot() | recorder.snapshot())

    def _finish(self) -> Run:
        table = self._recorder.table()
        number, score = self._selected(table)
        manifest = Manifest.model_validate(self._manifest() | {"selected": {"configuration": number, "value": score}})
        params = self._simulation.measure().params[np.searchsorted(self._simulation.active, number)]
        run = save_run(self._folder, manifest, table, Model(number, params))
        self._checkpoint.remove()
        return run

    def _selected(self, table: pd.DataFrame) -> tuple[int, float | None]:
        """The best configuration and its score; of a tuned run its only one, without a score if it has diverged."""
        rule = self._run.spec.select
        if self._run.stage == "sweep":
            return select(table, rule)
        score = scores(table, rule)[self._trained[0]]
        return self._trained[0], None if np.isnan(score) else float(score)

    def _manifest(self) -> dict[str, Any]:
        run, store, setting = self._run, self._store, self._setting
        experiment = run.experiment
        return {
            "paper": experiment.paper,
            "experiment": experiment.id,
            "scale": experiment.scale,
            "seed": run.seed,
            "stage": run.stage,
            "algorithm": _about_algorithm(run),
            "configurations": run.configurations,
            "trained": self._trained,
            "diverged": dict(sorted(self._recorder.diverged.items())),
            "spec": run.spec.model_dump(mode="json"),
            "strength": self._strength,
            "dataset": _about_data(run, store, setting.readers["train"].sizes),
            "engine": self._machine.engine,
            "shards": self._shards,
            "precision": setting.dtype,
            "compile": "xla" if self._simulation.compiled else "graph",
            "num_params": setting.problem.num_params,
            "versions": provenance.versions(),
            **self._origin._asdict(),
            "seconds": {name: round(value, 3) for name, value in self._seconds.items()},
            "peak_memory_mb": provenance.peak_memory_mb(),
            "processor": provenance.processor(),
            "cores": cores(),
            "threads": self._machine.threads,
            "yardstick": round(yardstick(), 4) if self._seconds["total"] > LONG else None,
        }


def _about_algorithm(run: RunId) -> dict[str, str]:
    return {
        "id": run.algorithm,
        "method": run.experiment.variant(run.algorithm).algorithm,
        "name": run.label,
        "colour": run.colour,
        "citation": run.method.citation,
    }


def _about_data(run: RunId, store: ClientStore, sizes: np.ndarray) -> dict[str, Any]:
    return {
        "id": run.dataset_id,
        "name": store.manifest["name"],
        "options": store.manifest["options"],
        "seed": store.manifest["seed"],
        "kind": store.kind,
        "sha256": store.sha256,
        "clients": len(sizes),
        "examples": int(sizes.sum()),
        "by_split": {split: int(store.sizes(split).sum()) for split in store.splits},
    }
