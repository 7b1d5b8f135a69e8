"""What bounds the composite tasks: a round of each, beside the hardware's own limit, measured in the same run.

    low rank I       eigen-decompositions of 32 x 32, against those alone
    brain scans      passes over 49 models of 39 913 parameters, against the memory's speed
    digits           products of 10 examples with 25 models of 784 x 10, against the same products alone

All with FedDualAvg, on random examples of the paper's shapes. Run it with the Python of the TFF environment, on a
machine that does nothing else; a run of the workflow has one thread unless it is given more:

    .env/tff/bin/python benchmarks/composite.py [--rounds N] [--threads N]
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

from fedatlas.data import catalogue
from fedatlas.data.store import ClientStore, Feature, write_store
from fedatlas.experiments.runs import RunId
from fedatlas.experiments.spec import find_experiment
from fedatlas.experiments.strength import resolved
from fedatlas.federated import engines
from fedatlas.federated.setting import Setting
from fedatlas.federated.simulation import Simulation
from fedatlas.machine import cores
from fedatlas.running.setup import Machine, cohort_size, make_setting

EXPERIMENTS = Path(__file__).parents[1] / "config/experiments"
VOXELS, SESSIONS, SCANS = 39912, 59, 18
WRITERS, DIGITS = 60, 111


def median_ms(once: Callable[[], object], repetitions: int) -> float:
    """The median in milliseconds, after two that are not counted."""
    taken = []
    for _ in range(repetitions + 2):
        begun = time.perf_counter()
        once()
        taken.append(1e3 * (time.perf_counter() - begun))
    return statistics.median(taken[2:])


def timed_round(key: str, store: ClientStore, rounds: int, threads: int) -> tuple[float, Setting, int]:
    """Milliseconds of a round of the whole grid; the setting; local steps of all clients together."""
    experiment = find_experiment(EXPERIMENTS, key, "paper")
    choice = experiment.problem
    run = RunId(experiment, "feddualavg", 0).with_penalty(resolved(choice.name, choice.penalty.options, store)[0])
    setting = make_setting(run, store, Machine(shards=threads, threads=threads))
    reader = setting.readers["train"]
    cohort = cohort_size(run, reader.num_clients)
    simulated = Simulation(setting, cohort, 0, shards=threads, active=np.arange(len(run.configurations)))

    def once() -> None:
        simulated.advance()
        np.asarray(simulated.state.alive)

    return median_ms(once, rounds), setting, cohort * setting.work.most_steps(reader.most)


def classified(path: Path, clients: int, examples: int, feature: Feature, classes: int) -> ClientStore:
    """Random labelled examples."""
    rng = np.random.default_rng(0)

    def client() -> dict[str, np.ndarray]:
        x = rng.normal(size=(examples, *feature.shape))
        x = (40 * np.abs(x)).clip(0, 255) if feature.dtype == "uint8" else x
        return {"x": x.astype(feature.dtype), "y": rng.integers(classes, size=examples).astype(np.int32)}

    splits = {split: [(f"{split}{i}", client()) for i in range(n)] for split, n in (("train", clients), ("test", 2))}
    features = [feature, Feature("y", "int32", ())]
    return write_store(
        path, name="random", options={}, seed=0, kind="stand-in", features=features, splits=splits, num_classes=classes
    )


def low_rank(folder: Path, rounds: int, threads: int) -> tuple[str, float, float, str]:
    catalogue.build("low_rank", {"variant": "I"}, 0, folder, folder / "low_rank")
    taken, setting, steps = timed_round("fco/low_rank_I", ClientStore.open(folder / "low_rank"), rounds, threads)
    number = setting.num_configurations * 10
    grams = tf.constant(np.random.default_rng(0).normal(size=(number, 32, 32)))
    grams = tf.matmul(grams, grams, transpose_a=True)
    limit = median_ms(lambda: tf.linalg.eigh(grams)[0].numpy(), rounds) * steps / 10
    return "low rank I", taken, limit, "its eigen-decompositions alone"


def brain_scans(folder: Path, rounds: int, threads: int) -> tuple[str, float, float, str]:
    store = classified(folder / "scans", SESSIONS, SCANS, Feature("x", "float32", (VOXELS,)), 2)
    taken, setting, steps = timed_round("fco/haxby_stand_in", store, rounds, threads)
    models = tf.Variable(tf.zeros([setting.num_configurations, VOXELS + 1]))
    triad = tf.function(lambda: models.assign(0.9 * models + 0.1), jit_compile=True)
    one_pass = median_ms(triad, 50) / 2  # it reads and writes
    limit = 3 * one_pass * steps / threads  # read for the products; read and write for the update
    return "brain scans", taken, limit, "three passes of every step over all models"


def digits(folder: Path, rounds: int, threads: int) -> tuple[str, float, float, str]:
    store = classified(folder / "digits", WRITERS, DIGITS, Feature("x", "uint8", (28, 28)), 10)
    taken, setting, steps = timed_round("fco/mnist_writers_l2", store, rounds, threads)
    rng = np.random.default_rng(0)
    x, w = (rng.normal(size=(rows, 784)).astype("float32") for rows in (10, 10 * setting.num_configurations))
    limit = median_ms(lambda: (w @ x.T) @ x, 200) * steps / threads
    return "digits", taken, limit, "its matrix products alone, by BLAS on every thread"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10, help="of which the median is printed")
    parser.add_argument(
        "--threads", type=int, default=1, help="of the run, which computes as many shards of clients side by side"
    )
    options = parser.parse_args()
    tf.config.threading.set_inter_op_parallelism_threads(options.threads)
    tf.config.threading.set_intra_op_parallelism_threads(options.threads)
    engines.install("inprocess", options.threads)
    print(f"FedDualAvg, the paper's whole grid, {options.threads} of {cores()} cores\n")
    print(f"{'':14}{'ms a round':>12}{'limit':>10}{'times':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for task in (low_rank, brain_scans, digits):
            name, taken, limit, what = task(Path(folder), options.rounds, options.threads)
            print(f"{name:14}{taken:12.0f}{limit:10.0f}{taken / limit:8.2f}  {what}", flush=True)


if __name__ == "__main__":
    main()
