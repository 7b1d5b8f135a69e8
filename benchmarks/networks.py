"""What a round of a network costs beside a plain TensorFlow loop on the same batches, and what memory it takes.

The work is FedDuA's: 20 clients take 20 steps on 50 images each, with FedAvg. The CNN of FEMNIST is timed round by
round in turn with the loop; the peak memory is that of two steps of ResNet-18 in a process of its own. Run it with the
Python of the TFF environment, on a machine that does nothing else:

    .env/tff/bin/python benchmarks/networks.py [--rounds N] [--steps N]
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_NUM_INTEROP_THREADS", "1")  # as the workflow runs it

import numpy as np
import tensorflow as tf

from fedatlas.algorithms import algorithms
from fedatlas.data.store import ClientStore, Feature, write_store
from fedatlas.federated import engines
from fedatlas.federated.batches import LocalWork, Sizes, Streams, select_batches
from fedatlas.federated.client_reader import ClientReader
from fedatlas.federated.setting import Setting
from fedatlas.federated.simulation import Simulation
from fedatlas.machine import cores
from fedatlas.problems import problems
from fedatlas.problems.base import Data, Problem
from fedatlas.prox import penalties

CLIENTS, IMAGES, BATCH, RATE, SEED = 20, 300, 50, 0.01, 0
CNN = {"filters": [32, 64], "units": 128, "dropout": [0.25, 0.5]}
RESNET = {"filters": 64, "stages": [2, 2, 2, 2], "groups": 2}


def made_store(path: Path, shape: tuple[int, ...], classes: int) -> ClientStore:
    """Random images."""
    rng = np.random.default_rng(0)

    def client() -> dict[str, np.ndarray]:
        x = rng.integers(0, 256, (IMAGES, *shape), np.uint8)
        return {"x": x, "y": rng.integers(0, classes, IMAGES, np.int32)}

    features = [Feature("x", "uint8", shape), Feature("y", "int32", ())]
    splits = {"train": [(str(number), client()) for number in range(CLIENTS)]}
    return write_store(
        path, name="random", options={}, seed=0, kind="stand-in", features=features, splits=splits, num_classes=classes
    )


def made_setting(store: ClientStore, problem: Problem, steps: int) -> Setting:
    return Setting(
        algorithm=algorithms["fedavg"],
        hyperparameters={"client_lr": np.array([RATE]), "server_lr": np.array([1.0])},
        problem=problem,
        penalty=penalties["zero"](),
        readers={"train": ClientReader(store, "train")},
        work=LocalWork(BATCH, steps=steps),
        weighting="uniform",
        dtype="float32",
        chunk=1,
        seed=SEED,
        initial=problem.initial(0),
    )


def made_problem(name: str, store: ClientStore, options: dict) -> Problem:
    return problems[name](data=Data(store.features["x"].shape, store.num_classes, {}), **options)


def our_round(setting: Setting) -> Callable[[], object]:
    simulation = Simulation(setting, CLIENTS, cohort_seed=0, shards=1, active=np.arange(1))

    def once() -> None:
        simulation.advance()
        np.asarray(simulation.state.alive)

    return once


def plain_model() -> tf.keras.Model:
    """The CNN as anyone would write it."""
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Rescaling(1 / 255, input_shape=(28, 28, 1)),
            *(layers.Conv2D(filters, 3, activation="relu") for filters in CNN["filters"]),
            layers.MaxPool2D(2),
            layers.Dropout(CNN["dropout"][0]),
            layers.Flatten(),
            layers.Dense(CNN["units"], activation="relu"),
            layers.Dropout(CNN["dropout"][1]),
            layers.Dense(62),
        ]
    )


def plain_round(setting: Setting) -> Callable[[], object]:
    """A loop over clients and batches, with Keras's optimiser, and the mean of the models at its end."""
    model, optimizer = plain_model(), tf.keras.optimizers.SGD(RATE)
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    weights = model.trainable_variables
    optimizer.build(weights)
    clients = tf.range(CLIENTS)
    examples = setting.readers["train"].read(clients)
    batches = select_batches(setting.work, examples, Streams(clients, SEED, tf.constant(0)), Sizes(IMAGES, IMAGES))

    @tf.function
    def train_step(x, y):
        with tf.GradientTape() as tape:
            value = loss(y, model(x[..., None], training=True))
        optimizer.apply_gradients(zip(tape.gradient(value, weights), weights, strict=True))

    def once() -> None:
        server = [weight.numpy() for weight in weights]
        total = [np.zeros_like(array) for array in server]
        for client in range(CLIENTS):
            for weight, array in zip(weights, server, strict=True):
                weight.assign(array)
            for step in range(setting.work.steps):
                train_step(batches.x[step, client], batches.y[step, client])
            total = [array + weight.numpy() for array, weight in zip(total, weights, strict=True)]
        for weight, array in zip(weights, total, strict=True):
            weight.assign(array / CLIENTS)

    return once


def seconds(once: Callable[[], object]) -> float:
    begun = time.perf_counter()
    once()
    return time.perf_counter() - begun


def compare(rounds: int, steps: int) -> None:
    """Prints the seconds of a round of the CNN, and how many times the loop's they are."""
    with tempfile.TemporaryDirectory() as folder:
        store = made_store(Path(folder) / "store", (28, 28), 62)
        setting = made_setting(store, made_problem("cnn", store, CNN), steps)
        ways = {"plain TensorFlow loop": plain_round(setting), "in-process engine": our_round(setting)}
        taken: dict[str, list[float]] = {name: [] for name in ways}
        for counted in [False] + [True] * rounds:
            for name, once in ways.items():
                taken[name] += [seconds(once)][: counted or None] if counted else [seconds(once)][1:]
    medians = {name: statistics.median(values) for name, values in taken.items()}
    for name, value in medians.items():
        print(f"{name:24}{value:8.2f} s a round of {CLIENTS} clients x {steps} steps x {BATCH} images")
    plain, ours = medians.values()
    print(f"{ours / plain:.2f} times the plain loop")


def resnet_round() -> None:
    """Prints the peak memory of this process after a round of ResNet-18."""
    with tempfile.TemporaryDirectory() as folder:
        store = made_store(Path(folder) / "store", (32, 32, 3), 10)
        taken = seconds(our_round(made_setting(store, made_problem("resnet", store, RESNET), steps=2)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"ResNet-18: {peak:.1f} GB at the peak of a round of {CLIENTS} clients x 2 steps ({taken:.0f} s)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--memory", action="store_true", help="only the memory of ResNet-18")
    arguments = parser.parse_args()
    engines.install("inprocess", cores())
    if arguments.memory:
        resnet_round()
        return
    compare(arguments.rounds, arguments.steps)
    subprocess.run([sys.executable, __file__, "--memory"], check=True)


if __name__ == "__main__":
    main()
