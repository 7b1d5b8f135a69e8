"""Small data sets and short simulations for the tests of algorithms and engines."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from fedatlas.algorithms import algorithms
from fedatlas.data.store import ClientStore, Feature, write_store
from fedatlas.federated.batches import LocalWork
from fedatlas.federated.client_reader import ClientReader
from fedatlas.federated.local_options import LocalOptions
from fedatlas.federated.setting import Setting
from fedatlas.federated.simulation import Simulation
from fedatlas.federated.solvers import Solver
from fedatlas.problems import Mixture, problems
from fedatlas.problems.base import Data, Problem
from fedatlas.prox import penalties

LINEAR = {"name": "linear_regression", "nonzero_above": 0.01}
# Values that suit every algorithm with a hyper-parameter of that name, on the data of `write_regression`.
EXAMPLES = {
    "eta": 0.1,
    "eta_x": 0.03,
    "gamma": 0.03,
    "beta_y": 1.0,
    "alpha": 0.5,
    "mu": 0.1,
    "nu": 0.1,
    "rho": 0.1,
    "skip": 0.25,
    "probability": 0.5,
    "period": 2.0,
    "horizon": 20.0,
    "tolerance": 1e-9,
    "epsilon": 0.1,
    "eps_g": 0.0,
    "beta1": 0.9,
    "beta2": 0.99,
    "stale": 0.0,
    "adaptive": 1.0,
    "beta": 1.0,
    "inner_lr": 0.02,
    "inner_steps": 3.0,
    "strength": 1.0,
    "tol1": 0.4,
    "tol2": 1.6,
    "momentum": 0.5,
}


def write_regression(path: Path, sizes: Sequence[int], shape: tuple[int, ...] = (6,), seed: int = 0) -> ClientStore:
    """A store of linear regression with these numbers of examples per client, in float64."""
    rng = np.random.default_rng(seed)
    truth = np.zeros(shape)
    truth[: shape[0] // 2] = 1.0

    def client(size: int) -> dict[str, np.ndarray]:
        x = rng.normal(size=shape) + rng.normal(size=(size, *shape))
        return {"x": x, "y": x.reshape(size, truth.size) @ truth.ravel() + 0.3 + 0.1 * rng.normal(size=size)}

    return write_store(
        path,
        name="regression",
        options={},
        seed=seed,
        kind="synthetic as in the paper",
        features=[Feature("x", "float64", shape), Feature("y", "float64", ())],
        splits={
            "train": [(str(i), client(size)) for i, size in enumerate(sizes)],
            "validation": [(f"v{i}", client(8)) for i in range(3)],
        },
        truth={"w_real": truth},
    )


def write_classes(
    path: Path, sizes: Mapping[str, Sequence[int]], classes: int, dimension: int = 3, seed: int = 3
) -> ClientStore:
    """A store of random examples with random labels, with these numbers of examples of each split's clients."""
    rng = np.random.default_rng(seed)

    def client(size: int) -> dict[str, np.ndarray]:
        return {
            "x": rng.normal(size=(size, dimension)),
            "y": rng.integers(classes, size=size).astype(np.int32),
        }

    splits = {split: [(str(i), client(n)) for i, n in enumerate(counts)] for split, counts in sizes.items()}
    return write_labelled(path, splits, classes, dimension)


def write_labelled(
    path: Path, splits: Mapping[str, Sequence[tuple[str, dict[str, np.ndarray]]]], classes: int, dimension: int
) -> ClientStore:
    """A store of these clients' examples x [n, dimension] and labels y [n]."""
    return write_store(
        path,
        name="classes",
        options={},
        seed=0,
        kind="synthetic as in the paper",
        features=[Feature("x", "float64", (dimension,)), Feature("y", "int32", ())],
        splits=dict(splits),
        num_classes=classes,
    )


def grid(algorithm: str, client_lr: Sequence[float], server_lr: Sequence[float] = (1.0,)) -> dict[str, np.ndarray]:
    """Every pair of rates, as far as the algorithm has them; other hyper-parameters are as in EXAMPLES."""
    names = list(algorithms[algorithm].hyperparameters())
    values = {"client_lr": client_lr, "server_lr": server_lr}
    rows = np.array(list(itertools.product(*(values.get(name, (EXAMPLES.get(name, 1.0),)) for name in names))))
    return dict(zip(names, rows.T, strict=True))


def make_problem(store: ClientStore, choice: Mapping[str, float | str], attributes: Mapping[str, object]) -> Problem:
    """A problem on the data of a store, its class with other attributes; with `components` a mixture of such."""
    options, data = dict(choice), Data(store.features["x"].shape, store.num_classes, store.truth)
    cls, components = type("Changed", (problems[options.pop("name")],), dict(attributes)), options.pop("components", 0)
    problem = cls(data=data, **options)
    return Mixture(data, problem, components) if components else problem


def simulate(
    store: ClientStore,
    algorithm: str,
    hyperparameters: Mapping[str, Sequence[float]],
    *,
    penalty: Mapping[str, float | str] | None = None,
    work: LocalWork | None = None,
    cohort: int | None = None,
    shards: int = 1,
    chunk: int | None = None,
    dtype: str = "float64",
    weighting: str = "uniform",
    problem: Mapping[str, float | str] = LINEAR,
    start: np.ndarray | None = None,
    attributes: Mapping[str, object] | None = None,
    solver: Solver | None = None,
    local: LocalOptions | None = None,
    graph: np.ndarray | None = None,
    rounds: int | None = None,
) -> Simulation:
    """A simulation of one algorithm; all clients and one full-batch step unless said otherwise.

    Args:
        attributes: of the problem's class. Without XLA if none are given: it would compile for longer than it runs.
    """
    options = dict(penalty or {"name": "zero"})
    chosen = make_problem(store, problem, {"compile": "graph"} | dict(attributes or {}))
    cohort = cohort or len(store.sizes("train"))
    values = {name: np.asarray(v, float) for name, v in hyperparameters.items()}
    setting = Setting(
        algorithm=algorithms[algorithm],
        hyperparameters=values,
        problem=chosen,
        penalty=penalties[options.pop("name")](**options),
        readers={split: ClientReader(store, split) for split in store.splits},
        work=work or LocalWork(batch_size=None, steps=1),
        weighting=weighting,
        dtype=dtype,
        chunk=chunk or len(store.sizes("train")),
        seed=11,
        initial=chosen.initial(0) if start is None else start,
        solver=solver,
        coin_seed=3,
        local=local or LocalOptions(),
        graph=graph,
        rounds=rounds,
        cohort=cohort,
    )
    number = len(next(iter(values.values())))
    return Simulation(setting, cohort, cohort_seed=5, shards=shards, active=np.arange(number))


def params_after(simulation: Simulation, rounds: int) -> np.ndarray:
    """The reported models after some rounds, [G, d]."""
    for _ in range(rounds):
        simulation.advance()
    return simulation.measure().params


def full_gradients(store: ClientStore, w: np.ndarray) -> np.ndarray:
    """The gradient of every client's F_m at w [d], by hand: [num_clients, d]."""
    gradients = []
    for client in range(len(store.sizes("train"))):
        arrays = store.read("train", client)
        x = np.column_stack([arrays["x"].reshape(len(arrays["y"]), -1), np.ones(len(arrays["y"]))])
        gradients.append(2 * x.T @ (x @ w - arrays["y"]) / len(x))
    return np.array(gradients)


def soft(v: np.ndarray, threshold: float) -> np.ndarray:
    """Soft thresholding by hand; the last coordinate is the bias and stays."""
    shrunk = np.sign(v) * np.maximum(np.abs(v) - threshold, 0)
    return np.append(shrunk[:-1], v[-1])
