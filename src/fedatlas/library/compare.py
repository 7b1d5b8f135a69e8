"""`fa.compare`: algorithms side by side on one federated problem, each with its best hyper-parameters."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from fedatlas.config import validate
from fedatlas.errors import AtlasError
from fedatlas.experiments.runs import RunId, runs_of
from fedatlas.experiments.spec import Experiment
from fedatlas.lazy import need_tensorflow
from fedatlas.library.arguments import Arguments
from fedatlas.library.cache import Cache
from fedatlas.library.clients import Clients
from fedatlas.library.plan import Asked, plan
from fedatlas.library.problems import ProblemChoice, check_problem
from fedatlas.library.study import Study
from fedatlas.library.suits import at_the_edge, unsuited
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.run import Run
from fedatlas.results.selection import AllDivergedError


class StudyWarning(UserWarning):
    """Something that an algorithm does not do, though it was asked for."""


def compare(
    algorithms: str | type | Sequence[str | type] | Mapping[str, Mapping[str, Any]],
    problem: ProblemChoice,
    clients: Clients,
    *,
    rounds: int = 100,
    cohort: int | str = "all",
    batch_size: int | str = 20,
    local_epochs: int | None = None,
    local_steps: int | None = None,
    weighting: str = "examples",
    grid: Mapping[str, Any] | None = None,
    seeds: Sequence[int] = (0,),
    select: tuple[str, str, str] | None = None,
    every: int | None = None,
    local: Mapping[str, Any] | None = None,
    graph: Mapping[str, Any] | None = None,
    precision: str = "float32",
    title: str = "A study",
    cache: str | Path | None = None,
    threads: int = 1,
    progress: bool = True,
) -> Study:
    """Runs algorithms over their grids of hyper-parameters and compares the best configuration of each.

    What was run before with the same settings on the same examples is read from the cache; what was cut off goes on.

    Args:
        algorithms: names of `fa.algorithms`, classes of your own (subclasses of `fa.Algorithm`), or a mapping of names
            to grids.
        problem: of `fa.problems` or `fa.keras_problem`.
        clients: of `fa.clients`.
        cohort: the number of clients of a round, or "all".
        batch_size: examples of a local step, or "full".
        local_epochs, local_steps: how long a client works in a round, by one of them; one epoch if not given.
        weighting: of clients in a mean, by their `examples` or `uniform`.
        grid: values by hyper-parameter, `{"client_lr": [0.01, 0.1]}`, for all algorithms that have it, or by algorithm
            such a mapping; what is not given is the algorithm's usual grid.
        seeds: with the first the whole grid is run, with the others the best configuration. Those that had no
            part in selecting it are scored, if there are any.
        select: (split, metric, "lowest" or "highest") by which a configuration is the best; without it the loss on
            validation clients, or where there are none the objective on training clients. Never silently on test ones.
        every: rounds between evaluations; a twentieth of all if not given.
        local: options of the local steps: momentum, keeps_momentum, weight_decay, clip_norm, clipped, client_lr_decay,
            client_lr_drops, augmentation.
        graph: {"probability", "weights"} of the graph along which clients talk, for algorithms without a server.
        cache: a folder; if not given, that of the environment variable FEDATLAS_CACHE, else ~/.cache/fedatlas.
        threads: shares of a cohort that are computed side by side, which pays for large models; it changes results by
            rounding alone.
        progress: whether to show a bar for each algorithm.

    Raises:
        AtlasError: in one sentence, before any round, if something does not fit.

    >>> import numpy as np
    >>> import fedatlas as fa
    >>> x, y = np.eye(3).repeat(4, axis=0), np.arange(3).repeat(4)
    >>> clients = fa.clients({"ann": (x[:6], y[:6]), "bob": (x[6:], y[6:])})
    >>> grid = {"client_lr": [0.1, 1], "server_lr": [1]}
    >>> study = compare("fedavg", fa.problems.softmax(), clients, rounds=2, grid=grid, progress=False)
    >>> study.best()["configuration"]["FedAvg"]
    'client_lr=1, server_lr=1'
    """
    given = {
        "rounds": rounds, "cohort": cohort, "batch_size": batch_size, "local_epochs": local_epochs,
        "local_steps": local_steps, "weighting": weighting, "seeds": seeds, "select": select, "every": every,
        "local": local, "graph": graph, "precision": precision, "title": title, "threads": threads,
    }  # fmt: skip
    own = validate(given, Arguments, "fa.compare")
    asked = Asked(algorithms, check_problem(problem), _clients(clients), {} if grid is None else grid, own)
    experiment = plan(asked)
    notes = unsuited(experiment, asked.clients)
    for note in notes:
        warnings.warn(note, StudyWarning, stacklevel=2)
    kept = Cache(cache)
    runs, lost = _run_all(experiment, kept, asked.clients, own.threads, progress)
    for note in lost:
        warnings.warn(note, StudyWarning, stacklevel=2)
    if not runs:
        raise AllDivergedError("every configuration of every algorithm has diverged: give smaller rates in 'grid'.")
    study = Study(ExperimentResults(experiment, runs, kept.stores), ())
    edges = [note for name in runs if (note := at_the_edge(study.results.sweep_run(name)))]
    return replace(study, warnings=(*notes, *lost, *edges))


def _run_all(
    experiment: Experiment, cache: Cache, clients: Clients, threads: int, progress: bool
) -> tuple[dict[str, dict[int, Run]], list[str]]:
    """The runs by algorithm and seed, and a note on every algorithm that has none, as all has diverged."""
    runs: dict[str, dict[int, Run]] = {}
    lost: dict[str, str] = {}
    for run in runs_of([experiment]):
        if run.algorithm in lost:
            continue
        try:
            runs.setdefault(run.algorithm, {})[run.seed] = _run(run, cache, clients, threads, progress)
        except AllDivergedError:
            lost[run.algorithm] = (
                f"{run.label}: every configuration diverged, so it is left out; give smaller rates in 'grid'."
            )
    return runs, list(lost.values())


def _run(run: RunId, cache: Cache, clients: Clients, threads: int, progress: bool) -> Run:
    """A run from the cache, or trained.

    Raises:
        AllDivergedError: if every configuration has diverged, now or when these settings were run before.
    """
    if found := cache.run(run):
        return found.named(run.label, run.colour)
    if cache.has_diverged(run):
        raise AllDivergedError(f"every configuration of {run.label} has diverged.")
    need_tensorflow()
    from fedatlas.running.runner import Machine, train  # imports TensorFlow, which a study from the cache is spared

    store, machine = cache.store(clients, run.dataset_id), Machine(threads=threads)
    bar = tqdm(total=run.spec.training.rounds, desc=_words(run), unit="round", disable=not progress)
    with bar:
        try:
            return train(run, store, cache.runs_of(run), machine, lambda done: bar.update(done.round - bar.n))
        except AllDivergedError:
            cache.keep_divergence(run)
            raise


def _words(run: RunId) -> str:
    number = len(run.configurations) if run.stage == "sweep" else 1
    return f"{run.label}, {number} configuration{'s' if number > 1 else ''}"


def _clients(given: Any) -> Clients:
    if not isinstance(given, Clients):
        raise AtlasError(f"'clients' is of type {type(given).__name__}, but must be made by fa.clients.")
    return given
