"""What holds for every algorithm of the registry: a new one is tested by being there.

A simulation is traced once for each algorithm, as its runs are computed: in two shards, each of several chunks of which
the last is not full, and compiled by XLA. What it is compared with has none of that: operations, one by one. That TFF's
own runtime computes the same, and that a run goes on without what has diverged, is tested on a few algorithms that
together have every kind of state and every role.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
import tensorflow_federated as tff
from algorithms.features import representatives
from eager import eagerly
from simulating import LINEAR, grid, params_after, simulate, write_regression

from fedatlas.algorithms import ExactLocal, MixtureLearner, OwnSteps, registry
from fedatlas.federated import engines
from fedatlas.federated.batches import LocalWork
from fedatlas.federated.inprocess import InProcessContext
from fedatlas.federated.simulation import Simulation
from fedatlas.federated.solvers import Solver

pytestmark = pytest.mark.engine
ALGORITHMS = list(registry())
# They train as another does, to the bit, as `test_feddua`, `test_fedem` and `test_fedem_family` say.
OTHERWISE_REPORTED = {"fedduadagrad_last", "fedduadam_last", "fedavg_finetuned", "fedem_converged"}
TRAINED = [name for name in ALGORITHMS if name not in OTHERWISE_REPORTED]
ROUNDS, MORE_ROUNDS = 3, 12


class Seen(NamedTuple):
    """A simulation, its state at the beginning, and what it gave: parameters after ROUNDS, losses before and later.

    The engine keeps what it has made of the computations, so that to run them again costs nothing.
    """

    engine: InProcessContext
    simulation: Simulation
    beginning: Any
    params: np.ndarray
    loss_before: np.ndarray
    loss_later: np.ndarray

    def again(self) -> Simulation:
        """The same simulation at the beginning."""
        tff.framework.set_default_context(self.engine)
        simulation = copy.copy(self.simulation)
        simulation.state, simulation.clients = tf.nest.map_structure(np.array, self.beginning)
        return simulation


@pytest.fixture(scope="module", params=TRAINED)
def algorithm(request):
    """The tests of one algorithm follow each other, and what is traced for it ends with them."""
    return request.param


@pytest.fixture(scope="module", params=representatives())
def representative(request):
    return request.param


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return write_regression(tmp_path_factory.mktemp("stores") / "ragged", sizes=[7, 5, 9, 4, 8, 6, 7, 5, 9, 4])


def two_configurations(algorithm):
    """Two learning rates; where there is no such rate, a set of hyper-parameters and its half."""
    values = grid(algorithm, [0.01, 0.03])
    return values if "client_lr" in values else {name: np.array([a[0], a[0] / 2]) for name, a in values.items()}


def work_of(cls):
    """Minibatches; full batches where the number of steps is the algorithm's, which a shuffle may not have."""
    if issubclass(cls, ExactLocal):
        return LocalWork(batch_size=None, steps=0)
    if cls is registry()["mocha"]:
        return LocalWork(batch_size=1, epochs=1)
    if issubclass(cls, OwnSteps):
        return LocalWork(batch_size=None, steps=1)
    return LocalWork(batch_size=3, epochs=1)


def problem_of(cls):
    hinges = {registry()["mocha"]: 0.0, registry()["dualfl_gap"]: 0.1}  # by their mu
    if cls in hinges:
        return {"name": "hinge", "mu": hinges[cls]}
    return LINEAR | ({"components": 2, "start": "glorot"} if issubclass(cls, MixtureLearner) else {})


def prepare(store, algorithm, hyperparameters=None, **options):
    cls = registry()[algorithm]
    return simulate(
        store,
        algorithm,
        two_configurations(algorithm) if hyperparameters is None else hyperparameters,
        problem=problem_of(cls),
        penalty={"name": "l1", "strength": 0.05},
        work=work_of(cls),
        cohort=None if cls.participation == "full" else 6,
        graph=ring(len(store.sizes("train"))),
        **{"solver": Solver(tolerance=0, most_iterations=10)} | options,  # so few that rounding decides nothing
    )


def ring(number):
    """Every client averages with its two neighbours."""
    return (np.eye(number) + np.roll(np.eye(number), 1, 0) + np.roll(np.eye(number), -1, 0)) / 3


def copy_of_state(simulation):
    return tf.nest.map_structure(np.array, (simulation.state, simulation.clients))


def without_first(array):
    """An array [G, ...] with what is not a number for the first configuration."""
    return np.concatenate([np.full_like(array[:1], np.nan), array[1:]])


def run(simulation):
    engine = InProcessContext()
    tff.framework.set_default_context(engine)
    beginning, before = copy_of_state(simulation), simulation.evaluate("train")["loss"]
    params = params_after(simulation, ROUNDS)
    params_after(simulation, MORE_ROUNDS)
    return Seen(engine, simulation, beginning, params, before, simulation.evaluate("train")["loss"])


@pytest.fixture(scope="module")
def by_operations(store, algorithm):
    """The parameters after ROUNDS, computed in one shard and chunk, and without a graph but for the solver."""
    with eagerly():
        return params_after(prepare(store, algorithm), ROUNDS)


@pytest.fixture(scope="module")
def usual(store, algorithm):
    """The algorithm's simulation as a run computes it."""
    layout = {"shards": 2, "chunk": 2} if registry()[algorithm].data == "cohort" else {}
    return run(prepare(store, algorithm, **layout, attributes={"compile": "xla"}))


@pytest.fixture(scope="module")
def plain(store, representative):
    """The simulation of a representative in one shard and chunk, as a graph that nothing compiles."""
    return run(prepare(store, representative))


@pytest.mark.parametrize("name", ALGORITHMS)
def test_describes_itself(name):
    cls = registry()[name]
    assert cls.name and cls.citation and cls.colour.startswith("#")
    assert "Symbols:" in cls.__doc__ and "Differs from the paper:" in cls.__doc__


def test_only_algorithms_that_are_there_are_left_out():
    assert set(ALGORITHMS) > OTHERWISE_REPORTED


@pytest.mark.core
@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_round_by_operations(store, name):
    """What a typing error in an algorithm breaks, in a fifth of a second."""
    with eagerly(rounds=lambda algorithm: ROUNDS):
        simulation = prepare(store, name, solver=Solver(tolerance=0, most_iterations=1))
        beginning, before = copy_of_state(simulation), simulation.measure().params
        for _ in range(ROUNDS):  # the coin may let the first one only average what is equal
            after = params_after(simulation, 1)
            if np.any(after != before, axis=-1).all():
                break
    assert np.all(np.isfinite(after)) and np.any(after != before, axis=-1).all()
    tf.nest.assert_same_structure(copy_of_state(simulation), beginning)


def test_the_loss_falls(usual):
    assert np.all(usual.loss_later < usual.loss_before)


def test_the_state_keeps_its_structure(usual):
    later = copy_of_state(usual.simulation)
    tf.nest.assert_same_structure(later, usual.beginning)
    for new, old in zip(tf.nest.flatten(later), tf.nest.flatten(usual.beginning), strict=True):
        assert (new.shape, new.dtype) == (old.shape, old.dtype)


def test_it_repeats_to_the_bit(usual):
    np.testing.assert_array_equal(params_after(usual.again(), ROUNDS), usual.params)


def test_neither_graphs_nor_xla_nor_shards_nor_chunks_change_it(usual, by_operations):
    np.testing.assert_allclose(usual.params, by_operations, rtol=0, atol=1e-12)


def test_the_engines_agree(store, representative, plain):
    engines.install("native", 1)
    simulation = prepare(store, representative)
    np.testing.assert_allclose(params_after(simulation, ROUNDS), plain.params, rtol=0, atol=1e-12)


def test_what_is_not_a_number_leaves_the_others_alone_and_can_be_retired(plain):
    """The other configuration goes on by itself as it did beside the first."""
    simulation = plain.again()
    spoiled = tf.nest.map_structure(without_first, simulation.state.server)
    simulation.state = simulation.state._replace(server=spoiled)
    simulation.advance()
    assert simulation.measure().alive.tolist() == [False, True]
    simulation.retire()
    assert simulation.active.tolist() == [1]
    np.testing.assert_allclose(params_after(simulation, ROUNDS - 1)[0], plain.params[1], rtol=0, atol=1e-12)


def test_what_diverges_is_not_a_number(store):
    simulation = prepare(store, "fedavg", {"client_lr": [1e200, 0.01], "server_lr": [1.0, 1.0]})
    found = params_after(simulation, ROUNDS)
    assert simulation.measure().alive.tolist() == [False, True]
    alone = prepare(store, "fedavg", {"client_lr": [0.01], "server_lr": [1.0]})
    np.testing.assert_allclose(found[1], params_after(alone, ROUNDS)[0], rtol=0, atol=1e-12)
