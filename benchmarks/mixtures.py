"""What a round of FedEM with three components costs beside a round of FedAvg, on the same clients in the same process.

The clients' sizes are as unequal as those of a Dirichlet partition. A local epoch trains each of the components, which
alone is three times FedAvg's work; the E-step adds a third of that for a network, whose gradient costs two passes more
than its loss. Run it with the Python of the TFF environment, on a machine that does nothing else:

    .env/tff/bin/python benchmarks/mixtures.py [--rounds N]
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_NUM_INTEROP_THREADS", "1")  # as the workflow runs it

import numpy as np
from networks import made_problem, seconds

from fedatlas.algorithms import algorithms
from fedatlas.data.store import ClientStore, Feature, write_store
from fedatlas.federated import engines
from fedatlas.federated.batches import LocalWork
from fedatlas.federated.client_reader import ClientReader
from fedatlas.federated.cohorts import fitting_chunk
from fedatlas.federated.setting import Setting
from fedatlas.federated.simulation import Simulation
from fedatlas.machine import cores
from fedatlas.problems import Mixture
from fedatlas.problems.base import Problem
from fedatlas.prox import penalties

COMPONENTS = 3
VALUES = {"client_lr": 0.01, "server_lr": 1.0, "stale": 0.0}
IMAGES = Feature("x", "uint8", (32, 32, 3))
POINTS = Feature("x", "float64", (150,))
LINEAR = {"nonzero_above": 0.01, "spread": 1.0}
LEAF_CNN = {"filters": [8, 16], "units": 64}


def made_store(path: Path, x: Feature, clients: int, examples: int, classes: int) -> ClientStore:
    """Random examples of clients with so many on average, in proportions of a Dirichlet distribution."""
    rng = np.random.default_rng(0)
    sizes = np.maximum(rng.dirichlet(np.full(clients, 1.5)) * clients * examples, 1).astype(int)

    def client(size: int) -> dict[str, np.ndarray]:
        drawn = rng.integers(0, 256, (size, *x.shape)) if x.dtype == "uint8" else rng.normal(size=(size, *x.shape))
        return {"x": drawn.astype(x.dtype), "y": rng.integers(0, classes, size).astype(np.int32)}

    splits = {"train": [(str(number), client(size)) for number, size in enumerate(sizes)]}
    return write_store(
        path, name="random", options={}, seed=0, kind="stand-in", features=[x, Feature("y", "int32", ())],
        splits=splits, num_classes=classes,
    )  # fmt: skip


def a_round(store: ClientStore, algorithm: str, problem: Problem, batch_size: int) -> Callable[[], object]:
    """A round in which all clients take a local epoch; the first one compiles."""
    reader = ClientReader(store, "train")
    chunk = 1 if problem.one_by_one else fitting_chunk(reader.num_clients, 8 * problem.num_params)
    setting = Setting(
        algorithm=algorithms[algorithm],
        hyperparameters={name: np.array([VALUES[name]]) for name in algorithms[algorithm].hyperparameters()},
        problem=problem,
        penalty=penalties["zero"](),
        readers={"train": reader},
        work=LocalWork(batch_size, epochs=1),
        weighting="examples",
        dtype="float32" if problem.one_by_one else "float64",
        chunk=chunk,
        seed=0,
        initial=problem.initial(0),
    )
    simulation = Simulation(setting, reader.num_clients, cohort_seed=0, shards=1, active=np.arange(1))

    def once() -> None:
        simulation.advance()
        np.asarray(simulation.state.alive)

    return once


def compare(words: str, store: ClientStore, problem: Problem, batch_size: int, rounds: int) -> None:
    """Prints the seconds of a round of each, and how many times FedAvg's FedEM's are."""
    ways = {
        "FedAvg": a_round(store, "fedavg", problem, batch_size),
        "FedEM": a_round(store, "fedem", Mixture(problem.data, problem, COMPONENTS), batch_size),
    }
    for once in ways.values():
        once()
    taken = {name: [] for name in ways}
    for _ in range(rounds):
        for name, once in ways.items():
            taken[name].append(seconds(once))
    fedavg, fedem = (statistics.median(values) for values in taken.values())
    print(f"{words}: FedAvg {fedavg:.2f} s a round, FedEM {fedem:.2f} s, {fedem / fedavg:.2f} times", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    engines.install("inprocess", cores())
    with tempfile.TemporaryDirectory() as folder:
        store = made_store(Path(folder) / "points", POINTS, clients=300, examples=500, classes=2)
        compare("300 linear classifiers", store, made_problem("binary_logistic", store, LINEAR), 128, rounds)
        store = made_store(Path(folder) / "images", IMAGES, clients=40, examples=90, classes=10)
        compare("40 convolutional networks", store, made_problem("leaf_cnn", store, LEAF_CNN), 16, rounds)


if __name__ == "__main__":
    main()
