"""The atlas's own engine: federated averaging as a typed TFF computation, evaluated in this process.

fedatlas_engine.py [WORK ...]         the works, side by side with the peers'
fedatlas_engine.py scaling            how the time of a round grows with one thing made larger
fedatlas_engine.py memory CLIENTS     what memory so many clients take
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff
from works import COHORT, WORKS, Work, arrays, chosen, say, timed

from fedatlas.algorithms import algorithms
from fedatlas.data.store import ClientStore, Feature, write_store
from fedatlas.federated import engines
from fedatlas.federated.batches import LocalWork
from fedatlas.federated.client_reader import ClientReader
from fedatlas.federated.cohorts import fitting_chunk
from fedatlas.federated.setting import Setting
from fedatlas.federated.simulation import Simulation
from fedatlas.machine import cores
from fedatlas.problems import problems
from fedatlas.problems.base import Data, Problem
from fedatlas.prox import penalties
from fedatlas.running.provenance import peak_memory_mb

OPTIONS = {
    "softmax": ("multinomial_logistic", {}),
    "squares": ("linear_regression", {"nonzero_above": 0.01}),
    "cnn": ("cnn", {"filters": [32, 64], "units": 128, "dropout": [0.0, 0.0]}),
    "resnet": ("resnet", {"filters": 8, "stages": [1, 1, 1], "groups": 2}),
    "lstm": ("lstm", {"embedding": 16, "units": 64, "layers": 1, "dropout": 0.0}),
}


def write_clients(work: Work, folder: Path) -> ClientStore:
    x, y = arrays(work)
    x = x[..., 0] if work.network == "cnn" else x
    label = "float32" if work.classes is None else "int32"
    clients = [(str(number), {"x": x[number], "y": y[number].astype(label)}) for number in range(work.clients)]
    features = [Feature("x", x.dtype.name, x.shape[2:]), Feature("y", label, y.shape[2:])]
    return write_store(
        folder, name="speed", options={}, seed=0, kind="stand-in", features=features, splits={"train": clients},
        num_classes=work.classes,
    )  # fmt: skip


def simulation(work: Work, problem: Problem, store: ClientStore) -> Simulation:
    shards = cores() if problem.one_by_one else 1  # networks compute a client on each core
    client_bytes = 4 * problem.num_params * work.configurations
    setting = Setting(
        algorithm=algorithms["fedavg"],
        hyperparameters={"client_lr": np.array(work.client_lr), "server_lr": np.array(work.server_lr)},
        problem=problem,
        penalty=penalties["zero"](),
        readers={"train": ClientReader(store, "train")},
        work=LocalWork(work.batch, epochs=1),
        weighting="uniform",
        dtype="float32",
        chunk=1 if problem.one_by_one else fitting_chunk(COHORT, client_bytes),
        seed=0,
        initial=problem.initial(0),
        cohort=COHORT,
    )
    return Simulation(setting, COHORT, cohort_seed=0, shards=shards, active=np.arange(work.configurations))


def stepping(kind: str, work: Work, folder: Path) -> Callable[[np.ndarray], None]:
    """Rounds of a work, on a problem of this kind; they draw their own cohorts."""
    store = write_clients(work, folder)
    name, options = OPTIONS[kind]
    problem = problems[name](data=Data(store.features["x"].shape, store.num_classes, {}), **options)
    simulated = simulation(work, problem, store)

    def step(_: np.ndarray) -> None:
        simulated.advance()
        np.asarray(simulated.state.alive)

    return step


def compare(names: Sequence[str]) -> None:
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            step = stepping("squares" if name == "sweep" else name, WORKS[name], Path(folder) / "store")
            begun = time.perf_counter()
            step(np.arange(COHORT))
            first = time.perf_counter() - begun
            found = timed(WORKS[name], step) | {"first_round_seconds": first}
            say("fedatlas", name, found, tff=tff.__version__, tensorflow=tf.__version__)


def scale() -> None:
    """Rounds of least squares with one thing made larger at a time, in milliseconds of the whole round."""
    usual = WORKS["squares"]._replace(rounds=20)
    grown = {
        "configurations": {n: usual._replace(client_lr=(1e-3,) * n, server_lr=(1.0,) * n) for n in (1, 4, 16, 64)},
        "features": {n: usual._replace(shape=(n,)) for n in (256, 1024, 4096)},
        "local steps": {n // 10: usual._replace(examples=n) for n in (50, 130, 400)},
    }
    for axis, works in grown.items():
        for size, work in works.items():
            with tempfile.TemporaryDirectory() as folder:
                found = timed(work, stepping("squares", work, Path(folder) / "store"))
            say("fedatlas", f"{axis} {size}", found | {"ms": found["ms"] * work.configurations})


def remember(clients: int) -> None:
    """The peak memory of this process after rounds with so many clients of twenty images."""
    work = WORKS["softmax"]._replace(clients=clients, examples=20, rounds=5)
    with tempfile.TemporaryDirectory() as folder:
        found = timed(work, stepping("softmax", work, Path(folder) / "store"))
    say("fedatlas", f"clients {clients}", found | {"peak_memory_mb": peak_memory_mb()})


if __name__ == "__main__":
    engines.install("inprocess", cores())
    match sys.argv[1:]:
        case ["scaling"]:
            scale()
        case ["memory", clients]:
            remember(int(clients))
        case _:
            compare(chosen())
