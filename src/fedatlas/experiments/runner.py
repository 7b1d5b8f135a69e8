"""One run: an algorithm on an experiment with a seed, from the client store to a metrics table and a manifest."""

from __future__ import annotations

import datetime
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from fedatlas.algorithms import algorithms
from fedatlas.data.store import ClientStore
from fedatlas.experiments import provenance
from fedatlas.experiments.checkpoint import Checkpoint
from fedatlas.experiments.metrics import Recorder
from fedatlas.experiments.results import Model, Run, load_run, save_run
from fedatlas.experiments.runs import RunId
from fedatlas.experiments.selection import select
from fedatlas.experiments.strength import resolved
from fedatlas.federated import engines
from fedatlas.federated.batches import LocalWork
from fedatlas.federated.cohorts import fitting_chunk
from fedatlas.federated.reading import ClientReader
from fedatlas.federated.setting import Setting
from fedatlas.federated.simulation import Simulation
from fedatlas.files import writing
from fedatlas.problems import problems
from fedatlas.problems.base import Data, Problem
from fedatlas.prox import penalties
from fedatlas.seeds import seed_for

SECONDS_BETWEEN_CHECKPOINTS = 15.0


@dataclass(frozen=True)
class Machine:
    """How a run is computed; nothing in it changes a result beyond rounding.

    Attributes:
        shards: TFF clients that the simulated clients of a cohort are spread over; at least one for every thread.
        chunk: simulated clients that are vectorised at once, "all" of a shard, or "auto": as many as fit the cache.
        threads: of this run: shards that are computed at once (TensorFlow takes its own from the environment).
    """

    engine: str = "inprocess"
    shards: int = 1
    chunk: int | Literal["all", "auto"] = "auto"
    threads: int = 1

    def shards_of(self, cohort: int) -> int:
        """The shards that a cohort is spread over."""
        return min(max(self.shards, self.threads), cohort)

    def chunk_of(self, shard: int, client_bytes: int) -> int:
        """The clients of a shard that are vectorised at once; a client's parameters take so many bytes."""
        if self.chunk == "auto":
            return fitting_chunk(shard, client_bytes)
        return shard if self.chunk == "all" else self.chunk


@dataclass(frozen=True)
class Progress:
    """What a watcher is told after every evaluation: rounds done, rounds in all, and the table so far."""

    round: int
    rounds: int
    recorder: Recorder

    @property
    def table(self) -> pd.DataFrame:
        return self.recorder.table()


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
        AtlasError: if the store is damaged, the sweep that a tuned run needs is missing, or nothing can be written.
    """
    machine = machine or Machine()
    folder = runs_folder / run.folder
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    store = ClientStore.open(store_path)
    trained = _trained(run, runs_folder)
    engines.install(machine.engine, machine.threads)
    started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return _Execution(run, store, machine, trained, folder).to_the_end(watch, started)


def _trained(run: RunId, runs_folder: Path) -> list[int]:
    """The numbers of the configurations that a run trains."""
    if run.stage == "sweep":
        return list(range(len(run.configurations)))
    sweep = load_run(runs_folder / run.sweep_run.folder)
    return [select(sweep.table, run.spec.select)[0]]


def make_problem(run: RunId, store: ClientStore) -> Problem:
    """The problem of an experiment on the data of a store."""
    choice = run.spec.problem
    data = Data(store.features["x"].shape, store.num_classes, store.truth)
    return problems[choice.name](data=data, **choice.options)


def make_setting(run: RunId, store: ClientStore, machine: Machine) -> Setting:
    """Everything that the federated computations of a run are made from, over its whole grid."""
    spec = run.spec
    problem, algorithm = make_problem(run, store), algorithms[run.algorithm]
    training, configurations = spec.training, run.configurations
    readers = {split: ClientReader(store, split) for split in {"train", *spec.evaluation.splits}}
    number = readers["train"].num_clients
    cohort = 1 if algorithm.data == "own" else cohort_size(run, number)
    shard = number if algorithm.data == "pooled" else -(-cohort // machine.shards_of(cohort))
    client_bytes = len(configurations) * problem.num_params * np.dtype(training.precision).itemsize
    return Setting(
        algorithm=algorithm,
        hyperparameters={name: np.array([c[name] for c in configurations]) for name in configurations[0]},
        problem=problem,
        penalty=penalties[spec.problem.penalty.name](**spec.problem.penalty.options),
        readers=readers,
        work=LocalWork.of(training.batch_size, training.local_epochs, training.local_steps),
        weighting=training.weighting,
        dtype=training.precision,
        chunk=shard if algorithm.data == "pooled" else machine.chunk_of(shard, client_bytes),
        seed=seed_for(run.seed, "batches"),
        initial=problem.initial(seed_for(run.seed, "init")),
    )


def cohort_size(run: RunId, num_clients: int) -> int:
    """The number of clients of a round."""
    cohort = run.spec.training.cohort
    return num_clients if cohort == "all" else min(cohort, num_clients)


class _Execution:
    """The rounds of one run, from its beginning or its checkpoint."""

    def __init__(self, run: RunId, store: ClientStore, machine: Machine, trained: list[int], folder: Path):
        choice = run.spec.problem
        penalty, self._strength = resolved(choice.name, choice.penalty.options, store)
        run = run.with_penalty(penalty)
        self._run, self._store, self._machine, self._trained, self._folder = run, store, machine, trained, folder
        setting = make_setting(run, store, machine)
        self._setting = setting
        size = cohort_size(run, setting.readers["train"].num_clients)
        self._shards = 1 if setting.pooled else machine.shards_of(size)
        seed = seed_for(run.seed, "cohort")
        self._simulation = Simulation(setting, size, seed, self._shards, np.array(trained))
        self._recorder = Recorder(trained)
        self._seconds = {"total": 0.0, "train": 0.0, "evaluate": 0.0, "first_round": 0.0}
        fingerprint = json.dumps([run.spec.model_dump(mode="json"), run.seed, store.sha256, trained, vars(machine)])
        self._checkpoint = Checkpoint(folder / "checkpoint.npz", fingerprint)

    def to_the_end(self, watch: Callable[[Progress], None], started: str) -> Run:
        rounds, every = self._run.spec.training.rounds, self._run.spec.evaluation.every
        begun = saved = time.perf_counter()
        if not self._resume():
            self._evaluate()
        before = self._seconds["total"]
        while self._simulation.round < rounds:
            self._advance()
            if self._simulation.round % every and self._simulation.round < rounds:
                continue
            self._evaluate()
            self._simulation.retire()
            now = time.perf_counter()
            self._seconds["total"] = before + now - begun
            if now - saved > SECONDS_BETWEEN_CHECKPOINTS and self._simulation.round < rounds:
                self._save()
                saved = now
            watch(Progress(self._simulation.round, rounds, self._recorder))
        return self._finish(started)

    def _advance(self) -> None:
        begun = time.perf_counter()
        cohort, gradients = self._simulation.advance()
        seconds = time.perf_counter() - begun
        self._seconds["first_round"] = self._seconds["first_round"] or seconds
        self._seconds["train"] += seconds
        self._recorder.count(self._simulation, cohort, gradients, seconds)

    def _evaluate(self) -> None:
        begun = time.perf_counter()
        self._recorder.evaluate(self._simulation, self._run.spec.evaluation.splits)
        self._seconds["evaluate"] += time.perf_counter() - begun

    def _resume(self) -> bool:
        found = self._checkpoint.load()
        if found is None:
            return False
        progress, arrays = found
        self._recorder.restore(arrays)
        self._recorder.costs = progress["costs"]
        self._recorder.diverged = {int(number): at for number, at in progress["diverged"].items()}
        self._seconds = progress["seconds"]
        self._simulation.restore({name: a for name, a in arrays.items() if not name.startswith("table_")})
        return True

    def _save(self) -> None:
        recorder = self._recorder
        progress = {"costs": recorder.costs, "diverged": recorder.diverged, "seconds": self._seconds}
        self._checkpoint.save(progress, self._simulation.snapshot() | recorder.snapshot())

    def _finish(self, started: str) -> Run:
        table = self._recorder.table()
        number, score = select(table, self._run.spec.select)
        manifest = self._manifest(started) | {"selected": {"configuration": number, "value": score}}
        params = self._simulation.measure().params[np.searchsorted(self._simulation.active, number)]
        run = save_run(self._folder, manifest, table, Model(number, params))
        self._checkpoint.remove()
        return run

    def _manifest(self, started: str) -> dict[str, Any]:
        run, store, setting = self._run, self._store, self._setting
        experiment, algorithm = run.experiment, algorithms[run.algorithm]
        revision, dirty = provenance.commit()
        sizes = setting.readers["train"].sizes
        return {
            "paper": experiment.paper,
            "experiment": experiment.id,
            "scale": experiment.scale,
            "seed": run.seed,
            "stage": run.stage,
            "algorithm": {
                "id": run.algorithm,
                "name": algorithm.name,
                "colour": algorithm.colour,
                "citation": algorithm.citation,
            },
            "configurations": run.configurations,
            "trained": self._trained,
            "diverged": {str(key): at for key, at in sorted(self._recorder.diverged.items())},
            "spec": run.spec.model_dump(mode="json"),
            "strength": self._strength,
            "dataset": {
                "id": run.dataset_id,
                "name": store.manifest["name"],
                "options": store.manifest["options"],
                "seed": store.manifest["seed"],
                "kind": store.kind,
                "sha256": store.sha256,
                "clients": len(sizes),
                "examples": int(sizes.sum()),
            },
            "engine": self._machine.engine,
            "shards": self._shards,
            "precision": setting.dtype,
            "compile": setting.problem.compile,
            "num_params": setting.problem.num_params,
            "versions": provenance.versions(),
            "commit": revision,
            "dirty": dirty,
            "started": started,
            "seconds": {name: round(value, 3) for name, value in self._seconds.items()},
            "peak_memory_mb": provenance.peak_memory_mb(),
            "processor": provenance.processor(),
            "cores": provenance.cores(),
            "threads": self._machine.threads,
        }
