"""What a run computes, and on what: from an experiment and a client store to the setting of its computations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fedatlas.algorithms import Algorithm, ExactLocal
from fedatlas.data.store import ClientStore
from fedatlas.errors import AtlasError
from fedatlas.experiments.runs import RunId
from fedatlas.federated import graphs
from fedatlas.federated.batches import LocalWork
from fedatlas.federated.client_reader import ClientReader
from fedatlas.federated.cohorts import fitting_chunk
from fedatlas.federated.local_options import LocalOptions
from fedatlas.federated.setting import Setting
from fedatlas.federated.solvers import Solver
from fedatlas.problems import Mixture, problems
from fedatlas.problems.base import Data, Problem
from fedatlas.prox import penalties
from fedatlas.seeds import seed_for


@dataclass(frozen=True)
class Machine:
    """How a run is computed; nothing in it changes a result beyond rounding.

    Attributes:
        shards: TFF clients that the simulated clients of a cohort are spread over; at least one for every thread.
        chunk: simulated clients that are vectorised at once, "all" of a shard, or "auto": as many as fit the cache.
        threads: of this run: shards that are computed at once (TensorFlow takes its own from the environment).
        library: a digest of the library's files that the run uses, if not given of all that computes; what another
            library has begun is begun again.
    """

    engine: str = "inprocess"
    shards: int = 1
    chunk: int | Literal["all", "auto"] = "auto"
    threads: int = 1
    library: str = ""

    def __post_init__(self) -> None:
        counts = {"shards": self.shards, "threads": self.threads}
        if self.chunk not in ("all", "auto"):
            counts["chunk"] = self.chunk  # type: ignore[assignment]
        for name, value in counts.items():
            if type(value) is not int or value < 1:
                words = ", 'all' or 'auto'" if name == "chunk" else ""
                raise AtlasError(f"'{name}' is {value!r}, but must be a whole number above 0{words}.")

    def shards_of(self, cohort: int) -> int:
        """The shards that a cohort is spread over."""
        return min(max(self.shards, self.threads), cohort)

    def chunk_of(self, shard: int, client_bytes: int) -> int:
        """The clients of a shard that are vectorised at once; a client's parameters take so many bytes."""
        if self.chunk == "auto":
            return fitting_chunk(shard, client_bytes)
        return shard if self.chunk == "all" else self.chunk


def make_problem(run: RunId, store: ClientStore) -> Problem:
    """The problem of an experiment on the data of a store."""
    choice = run.spec.problem
    data = Data(store.features["x"].shape, store.num_classes, store.truth)
    problem = problems[choice.name](data=data, **choice.options)
    return problem if choice.components is None else Mixture(data, problem, choice.components)


def make_setting(run: RunId, store: ClientStore, machine: Machine) -> Setting:
    """Everything that the federated computations of a run are made from, over its whole grid."""
    spec = run.spec
    problem, algorithm = make_problem(run, store), run.method
    training, configurations = spec.training, run.configurations
    readers = {split: ClientReader(store, split) for split in _splits(spec.evaluation.splits)}
    if spec.evaluation.personal:
        _check_same_clients(run, store, readers)
    number = readers["train"].num_clients
    cohort = 1 if algorithm.data == "single" else cohort_size(run, number)
    shard = number if algorithm.data == "pooled" else -(-cohort // machine.shards_of(cohort))
    client_bytes = len(configurations) * problem.num_params * np.dtype(training.precision).itemsize
    return Setting(
        algorithm=algorithm,
        hyperparameters={name: np.array([c[name] for c in configurations]) for name in configurations[0]},
        problem=problem,
        penalty=penalties[spec.problem.penalty.name](**spec.problem.penalty.options),
        readers=readers,
        work=LocalWork.of(training.batch_size, training.local_epochs, training.local_steps, training.batches),
        weighting=training.weighting,
        dtype=training.precision,
        chunk=_chunk(algorithm, problem, machine, shard, client_bytes),
        seed=seed_for(run.seed, "batches"),
        initial=problem.initial(seed_for(run.seed, "init")),
        solver=Solver(**training.solver.model_dump()) if training.solver else None,
        coin_seed=seed_for(run.seed, "coin"),
        graph=_graph(run, number),
        local=_local(run, store),
        rounds=training.rounds,
        cohort=number if algorithm.data == "pooled" else cohort,
    )


def _check_same_clients(run: RunId, store: ClientStore, splits: Iterable[str]) -> None:
    """Checks that a client's own model is measured on examples of the same client: the same ids in the same order."""
    for split in splits:
        train = "unseen_train" if split.startswith("unseen_") else "train"
        if store.ids(split) != store.ids(train):
            raise AtlasError(
                f"{run.experiment.key}: 'evaluation.personal' measures every client's model on the client's own "
                f"examples, but '{split}' of {run.spec.dataset.name} has other clients than '{train}': leave it out, "
                "or cut each client into splits."
            )


def _local(run: RunId, store: ClientStore) -> LocalOptions:
    """The options of the local steps, which can be done to the examples of the store."""
    asked, shape = run.spec.training.local, store.features["x"].shape
    if asked is None:
        return LocalOptions()
    if asked.augmentation and len(shape) != 3:
        raise AtlasError(
            f"{run.experiment.key}: 'training.local.augmentation' is '{asked.augmentation}', which needs images [rows, "
            f"columns, channels], but an x has the shape {list(shape)}: leave it out."
        )
    return LocalOptions(**asked.model_dump())


def _graph(run: RunId, number: int) -> np.ndarray | None:
    """The weights between the clients, [number, number], where they talk to each other."""
    graph = run.spec.training.graph
    if graph is None:
        return None
    try:
        drawn = graphs.erdos_renyi(number, graph.probability, np.random.default_rng(seed_for(run.seed, "graph")))
    except ValueError as error:
        raise AtlasError(f"{run.experiment.key}: 'training.graph': {error}") from error
    return graphs.WEIGHTS[graph.weights](drawn)


def _splits(evaluated: tuple[str, ...]) -> set[str]:
    """Those that a run reads: of clients that are evaluated, also what they train on."""
    unseen = {"unseen_train"} if any(split.startswith("unseen_") for split in evaluated) else set()
    return {"train", *evaluated, *unseen}


def _chunk(algorithm: type[Algorithm], problem: Problem, machine: Machine, shard: int, client_bytes: int) -> int:
    """The clients of a shard that are vectorised at once."""
    if algorithm.data == "pooled":
        return shard
    if problem.one_by_one:
        return 1
    if issubclass(algorithm, ExactLocal) and machine.chunk == "auto":
        return 1  # clients converge after different times, and none need wait for another
    return machine.chunk_of(shard, client_bytes)


def cohort_size(run: RunId, num_clients: int) -> int:
    """The number of clients of a round."""
    cohort = run.spec.training.cohort
    return num_clients if cohort == "all" else min(cohort, num_clients)
