"""How long a comparison takes with the library, and with stock tff.learning: the same algorithms, clients and batches.

Five algorithms x 12 configurations x 100 rounds on the digits of scikit-learn, 19 clients in every round, one epoch in
batches of 20, one after the other. Seconds are by the clock, and of all processors by this process and TFF's worker:

    OMP_NUM_THREADS=1 TF_NUM_INTRAOP_THREADS=1 TF_NUM_INTEROP_THREADS=1 \
        .env/tff/bin/python benchmarks/library.py > library.txt

The library runs everything, and evaluates the training objective in 20 rounds. Stock tff.learning runs one
configuration of each algorithm for `--stock-rounds` rounds, without an evaluation; the rest is estimated from it:
what it takes to build a process and to run its first round is counted once for each algorithm, as if configurations
could share it, and the mean of the later rounds 12 x 100 times.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import psutil
import tensorflow as tf
import tensorflow_federated as tff
from sklearn.datasets import load_digits

import fedatlas as fa

RATES = [0.03, 0.1, 0.3, 1.0]  # times three of the server or of mu: 12 configurations
THREE = [0.3, 1.0, 3.0]
GRIDS: dict[str, dict[str, list[float]]] = {
    "fedavg": {"client_lr": RATES, "server_lr": THREE},
    "fedprox": {"client_lr": RATES, "server_lr": [1.0], "mu": [0.01, 0.1, 1.0]},
    "fedavgm": {"client_lr": RATES, "server_lr": THREE, "beta1": [0.9]},
    "fedadagrad": {"client_lr": RATES, "server_lr": [0.01, 0.03, 0.1], "epsilon": [1e-3]},
    "fedadam": {"client_lr": RATES, "server_lr": [0.01, 0.03, 0.1], "epsilon": [1e-3], "beta1": [0.9], "beta2": [0.99]},
}
CONFIGURATIONS, BATCH = 12, 20


@dataclass(frozen=True)
class Spent:
    """Seconds by the clock, and of all processors by this process and those that it started."""

    wall: float
    cpu: float

    def __sub__(self, other: Spent) -> Spent:
        return Spent(self.wall - other.wall, self.cpu - other.cpu)

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.wall + other.wall, self.cpu + other.cpu)

    def __mul__(self, factor: float) -> Spent:
        return Spent(self.wall * factor, self.cpu * factor)

    def __str__(self) -> str:
        return f"{self.wall:9.1f} s {self.cpu:9.1f} CPU-s"


def now() -> Spent:
    me = psutil.Process()
    times = [process.cpu_times() for process in (me, *me.children(recursive=True))]
    return Spent(time.perf_counter(), sum(t.user + t.system for t in times))


def spent_in(work: Callable[[], Any]) -> tuple[Spent, Any]:
    start = now()
    result = work()
    return now() - start, result


def arrays() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """19 clients with 90 examples each, of few digits."""
    x, y = load_digits(return_X_y=True)
    order = y.argsort(kind="stable")
    x, y = (x[order] / 16).astype("float32"), y[order].astype("int32")
    return {f"client {i}": (x[90 * i : 90 * i + 90], y[90 * i : 90 * i + 90]) for i in range(19)}


def model() -> tf.keras.Model:
    return tf.keras.Sequential([tf.keras.Input((64,)), tf.keras.layers.Dense(10)])


def ours(rounds: int) -> None:
    """The whole comparison; nothing is read from an earlier run."""
    problem = fa.keras_problem(model, "sparse_categorical_crossentropy")
    with tempfile.TemporaryDirectory() as cache:
        fa.compare(
            list(GRIDS), problem, fa.clients(arrays()), rounds=rounds, batch_size=BATCH, grid=GRIDS, cache=cache,
            progress=False,
        )  # fmt: skip


def stock_process(name: str, spec: Any) -> tff.learning.templates.LearningProcess:
    """The process of one configuration."""
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    functional = tff.learning.models.functional_model_from_keras(model, loss, spec)
    optimizers = tff.learning.optimizers
    client, algorithms = optimizers.build_sgdm(0.1), tff.learning.algorithms
    if name == "fedprox":
        return algorithms.build_weighted_fed_prox(functional, 0.1, client, optimizers.build_sgdm(1.0))
    server = {
        "fedavg": lambda: optimizers.build_sgdm(1.0),
        "fedavgm": lambda: optimizers.build_sgdm(1.0, momentum=0.9),
        "fedadagrad": lambda: optimizers.build_adagrad(0.03, epsilon=1e-3),
        "fedadam": lambda: optimizers.build_adam(0.03, beta_2=0.99, epsilon=1e-3),
    }
    return algorithms.build_weighted_fed_avg(functional, client, server[name]())


def stock(name: str, rounds: int) -> tuple[Spent, Spent]:
    """To build a process and run its first round; and the mean of the later ones."""
    data = [tf.data.Dataset.from_tensor_slices(own).shuffle(90).batch(BATCH) for own in arrays().values()]
    state = None

    def begin() -> Any:
        process = stock_process(name, data[0].element_spec)
        return process, process.next(process.initialize(), data).state

    start, (process, state) = spent_in(begin)

    def go_on() -> None:
        current = state
        for _ in range(rounds - 1):
            current = process.next(current, data).state

    later, _ = spent_in(go_on)
    return start, later * (1 / (rounds - 1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--stock-rounds", type=int, default=20)
    options = parser.parse_args()
    print(
        f"{len(GRIDS)} algorithms x {CONFIGURATIONS} configurations x {options.rounds} rounds, 19 clients", flush=True
    )
    taken, _ = spent_in(lambda: ours(options.rounds))
    print(f"{'fa.compare, all of it':45} {taken}", flush=True)
    fa.tff_runtime()
    total = Spent(0.0, 0.0)
    for name in GRIDS:
        begun, each = stock(name, options.stock_rounds)
        estimate = begun + each * (CONFIGURATIONS * options.rounds - 1)
        total += estimate
        print(
            f"{f'  {name}: begin':45} {begun}\n{f'  {name}: a round':45} {each.wall:11.3f} {each.cpu:11.3f}", flush=True
        )
    print(f"{'tff.learning, estimated from 1 configuration':45} {total}")
    print(f"{'ratio':45} {total.wall / taken.wall:9.1f}   {total.cpu / taken.cpu:9.1f}")


if __name__ == "__main__":
    main()
