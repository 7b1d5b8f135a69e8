"""How long a round takes, side by side in one run: stock TFF, our two engines, a sweep, and numpy by hand.

The work is a round of the paper's LASSO I: 10 clients of 128 examples, d = 1024, batches of 10, one epoch. Run it with
the Python of the TFF environment, on a machine that does nothing else:

    .env/tff/bin/python benchmarks/engine.py [--rounds N]
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
os.environ.setdefault("TF_NUM_INTEROP_THREADS", "1")  # as the workflow runs it

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from fedatlas.data import catalogue
from fedatlas.data.store import ClientStore, Feature, write_store
from fedatlas.experiments.runs import RunId
from fedatlas.experiments.spec import find_experiment
from fedatlas.federated import engines
from fedatlas.federated.simulation import Simulation
from fedatlas.machine import cores
from fedatlas.running.setup import Machine, make_setting

EXPERIMENTS = Path(__file__).parents[1] / "config/experiments"
COHORT, BATCH, STRENGTH = 10, 10, 0.4


def median_ms(round_once: Callable[[], object], rounds: int) -> float:
    """The median over rounds, in milliseconds, after two that are not counted."""
    taken = []
    for _ in range(rounds + 2):
        begun = time.perf_counter()
        round_once()
        taken.append(1e3 * (time.perf_counter() - begun))
    return statistics.median(taken[2:])


def simulation(store: ClientStore, configurations: int) -> Simulation:
    """FedDualAvg on LASSO I with the first configurations of the paper's grid."""
    run = RunId(find_experiment(EXPERIMENTS, "fco/lasso_I", "paper"), "feddualavg", 0)
    setting = make_setting(run, store, Machine())
    return Simulation(setting, COHORT, cohort_seed=0, shards=1, active=np.arange(configurations))


def ours(engine: str, store: ClientStore, configurations: int, rounds: int) -> float:
    engines.install(engine, cores())
    simulated = simulation(store, configurations)

    def once() -> None:
        simulated.advance()
        np.asarray(simulated.state.alive)

    return median_ms(once, rounds)


def empty_round(folder: Path, rounds: int) -> float:
    """A round of the in-process engine in which one client takes one step on one example of one feature."""
    one = [("0", {"x": np.zeros((1, 1), np.float32), "y": np.zeros(1, np.float32)})]
    features = [Feature("x", "float32", (1,)), Feature("y", "float32", ())]
    splits = {"train": one, "validation": one}
    store = write_store(folder, name="one", options={}, seed=0, kind="stand-in", features=features, splits=splits)
    return ours("inprocess", store, 1, rounds)


def stock(store: ClientStore, loop: tff.learning.LoopImplementation, rounds: int) -> float:
    """tff.learning's federated averaging: one TFF client per simulated client, a Keras model, tf.data."""
    tff.backends.native.set_sync_local_cpp_execution_context(max_concurrent_computation_calls=cores())
    dimension = store.features["x"].shape[0]
    shapes = (tf.TensorSpec([None, dimension], tf.float32), tf.TensorSpec([None, 1], tf.float32))

    def model() -> tff.learning.models.VariableModel:
        keras = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(dimension,))])
        return tff.learning.models.from_keras_model(keras, tf.keras.losses.MeanSquaredError(), input_spec=shapes)

    process = tff.learning.algorithms.build_weighted_fed_avg(
        model, tff.learning.optimizers.build_sgdm(1e-3), loop_implementation=loop
    )
    data = [store.read("train", client) for client in range(COHORT)]
    clients = [
        tf.data.Dataset.from_tensor_slices((d["x"], d["y"][:, None])).shuffle(len(d["y"])).batch(BATCH) for d in data
    ]
    states = [process.initialize()]
    return median_ms(lambda: states.append(process.next(states.pop(), clients).state), max(3, rounds // 10))


def by_hand(store: ClientStore, configurations: int, rounds: int) -> float:
    """FedDualAvg's round with numpy's BLAS and no framework."""
    run = RunId(find_experiment(EXPERIMENTS, "fco/lasso_I", "paper"), "feddualavg", 0)
    rates = np.array([(c["client_lr"], c["server_lr"]) for c in run.configurations[:configurations]], np.float32)
    client_lr, server_lr = rates.T
    clients = [store.read("train", m) for m in range(len(store.sizes("train")))]
    x, y = (np.stack([client[name] for client in clients]) for name in ("x", "y"))
    examples, dimension = x.shape[1:]
    rng = np.random.default_rng(0)
    z, b = np.zeros((configurations, dimension), np.float32), np.zeros(configurations, np.float32)
    elapsed = np.zeros(configurations, np.float32)

    def once() -> None:
        nonlocal z, b, elapsed
        cohort = rng.choice(len(x), COHORT, replace=False)
        order = np.stack([rng.permutation(examples) for _ in cohort])
        local, bias = np.repeat(z[None], COHORT, 0), np.repeat(b[None], COHORT, 0)  # [C, G, d], [C, G]
        for k, start in enumerate(range(0, examples, BATCH)):
            chosen = order[:, start : start + BATCH]
            xb, yb = x[cohort[:, None], chosen], y[cohort[:, None], chosen]
            threshold = ((elapsed + client_lr * k) * STRENGTH)[:, None]
            w = local - np.clip(local, -threshold, threshold)
            residual = w @ xb.transpose(0, 2, 1) + (bias[..., None] - yb[:, None])
            step = (2 / chosen.shape[1]) * client_lr
            local -= step[:, None] * (residual @ xb)
            bias -= step * residual.sum(-1)
        z = z + server_lr[:, None] * (local.mean(0) - z)
        b = b + server_lr * (bias.mean(0) - b)
        elapsed = elapsed + server_lr * client_lr * -(-examples // BATCH)

    with np.errstate(all="ignore"):  # the larger rates of the grid diverge
        return median_ms(once, rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=60)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        store = catalogue.build("lasso", {"variant": "I"}, 0, Path(folder), Path(folder) / "lasso")
        loops = tff.learning.LoopImplementation
        measured = {
            "stock tff.learning, its default loop": stock(store, loops.DATASET_REDUCE, rounds),
            "stock tff.learning, iterator loop": stock(store, loops.DATASET_ITERATOR, rounds),
            "native engine, 1 configuration": ours("native", store, 1, rounds),
            "in-process engine, 1 configuration": ours("inprocess", store, 1, rounds),
            "in-process engine, 49 configurations": ours("inprocess", store, 49, rounds) / 49,
            "numpy by hand, 49 configurations": by_hand(store, 49, rounds) / 49,
        }
        overhead = empty_round(Path(folder) / "one", rounds)
    grid = measured["in-process engine, 49 configurations"]
    print(f"{cores()} cores, median of {rounds} rounds\n\n{'':44}ms per round and configuration   times the grid")
    for name, value in measured.items():
        print(f"{name:44}{value:31.3f}{value / grid:17.2f}")
    fastest = min(value for name, value in measured.items() if name.startswith("stock"))
    print(f"\n{fastest / grid:.0f} times as fast as stock TFF (its faster loop) per configuration of the grid")
    print(f"{grid / measured['numpy by hand, 49 configurations']:.2f} of the time of numpy by hand")
    print(f"{overhead:.2f} ms for a round that does nothing")


if __name__ == "__main__":
    main()
