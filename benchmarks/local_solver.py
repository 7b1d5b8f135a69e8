"""What bounds the local solver: a pass of AOGM on a client of MNIST, beside its two matrix products by BLAS alone.

A pass is a trial step: one gradient and the outputs of the model along it. The client is that of DualFL's Figure 1(a):
7 500 examples of 785 inputs and 10 classes in float64, random here. Run it with the Python of the TFF environment, on
a machine that does nothing else:

    .env/tff/bin/python benchmarks/local_solver.py [--passes N] [--threads N] [--configurations N]
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf
from threadpoolctl import threadpool_limits

from fedatlas.federated.objectives import Objective
from fedatlas.federated.solvers import Solver
from fedatlas.machine import cores
from fedatlas.problems import problems
from fedatlas.problems.base import Batch, Data

EXAMPLES, PIXELS, CLASSES = 7500, 784, 10


def seconds(once: Callable[[], object], repetitions: int = 5) -> float:
    """The median, after one that is not counted."""
    taken = []
    for _ in range(repetitions + 1):
        begun = time.perf_counter()
        once()
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken[1:])


def solver_pass(x: np.ndarray, y: np.ndarray, passes: int, configurations: int, kept: bool) -> float:
    """Seconds of a pass of the solver, preparing the client's examples aside."""
    problem = problems["multinomial_logistic"](data=Data((PIXELS,), CLASSES, {}), mu=0.01)
    batch = Batch(tf.constant(x), tf.constant(y), tf.ones(y.shape, tf.bool))
    F = Objective.of_all(problem, batch, tf.float64, Solver(0, passes))
    if not kept:
        F = Objective(problem, batch, None, Solver(0, passes))
    start = tf.zeros([configurations, 1, problem.num_params], tf.float64)
    strength = tf.reshape(tf.linspace(tf.constant(0.01, tf.float64), 1.0, configurations), [-1, 1, 1])

    @tf.function(autograph=False)
    def solve():
        F.gradients = 0.0
        return F.minimise(start, strength=strength, centre=0.01), F.gradients

    done = float(tf.reduce_mean(solve()[1]))
    return seconds(lambda: solve()[0].numpy()) / done


def products(x: np.ndarray, configurations: int, threads: int) -> float:
    """Seconds of the two products of a pass, by BLAS."""
    rng = np.random.default_rng(1)
    w = rng.normal(size=(CLASSES * configurations, x.shape[-1]))
    z = rng.normal(size=(CLASSES * configurations, EXAMPLES))
    with threadpool_limits(threads):
        return seconds(lambda: (w @ x[0].T, z @ x[0]), 20)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--passes", type=int, default=30, help="of a solution")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--configurations", type=int, default=1, help="that share the client's examples")
    options = parser.parse_args()
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.threading.set_intra_op_parallelism_threads(options.threads)
    rng = np.random.default_rng(0)
    x, y = rng.uniform(size=(1, EXAMPLES, PIXELS)), rng.integers(CLASSES, size=(1, EXAMPLES)).astype(np.int32)
    limit = products(np.concatenate([x, np.ones_like(x[..., :1])], -1), options.configurations, options.threads)
    print(f"{options.configurations} configuration(s), {options.threads} of {cores()} cores\n")
    print(f"{'':34}{'ms a pass':>12}{'times':>8}")
    print(f"{'its two products alone, by BLAS':34}{1e3 * limit:12.2f}{1:8.2f}")
    for name, kept in (("outputs kept beside points", True), ("every value computed anew", False)):
        taken = solver_pass(x, y, options.passes, options.configurations, kept)
        print(f"{name:34}{1e3 * taken:12.2f}{taken / limit:8.2f}", flush=True)


if __name__ == "__main__":
    main()
