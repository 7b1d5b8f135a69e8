"""What holds for every algorithm of the registry: a new one is tested by being there."""

from __future__ import annotations

import functools

import numpy as np
import pytest

pytest.importorskip("tensorflow")

from simulating import grid, params_after, simulate, write_regression

from fedatlas.algorithms import registry
from fedatlas.federated import engines
from fedatlas.federated.batches import LocalWork

ALGORITHMS = list(registry())
L1 = {"name": "l1", "strength": 0.05}
BATCHES = LocalWork(batch_size=3, epochs=1)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return write_regression(tmp_path_factory.mktemp("stores") / "ragged", sizes=[7, 5, 9, 4, 8, 6, 7, 5, 9, 4])


def rates(algorithm):
    return grid(algorithm, [0.01, 0.03])


def run(store, algorithm, hyperparameters=None, **options):
    options = {"penalty": L1, "work": BATCHES, "cohort": 6} | options
    return params_after(simulate(store, algorithm, hyperparameters or rates(algorithm), **options), 3)


@pytest.fixture(scope="module")
def usual(store):
    """algorithm -> what `run` gives, computed once."""
    return functools.cache(lambda algorithm: run(store, algorithm))


@pytest.fixture(autouse=True)
def in_process():
    engines.install("inprocess", 1)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_describes_itself(algorithm):
    cls = registry()[algorithm]
    assert cls.name and cls.citation and cls.colour.startswith("#")
    assert "Symbols:" in cls.__doc__ and "Differs from the paper:" in cls.__doc__


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_engines_agree(store, usual, algorithm):
    here = usual(algorithm)
    engines.install("native", 1)
    np.testing.assert_allclose(run(store, algorithm), here, rtol=0, atol=1e-12)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_compiling_changes_nothing_and_repeats_to_the_bit(store, usual, algorithm):
    compiled = run(store, algorithm, compiled="xla")
    np.testing.assert_allclose(compiled, usual(algorithm), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(run(store, algorithm, compiled="xla"), compiled)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("layout", [{"shards": 2, "chunk": 2}, {"shards": 10, "chunk": 1}])
def test_shards_and_chunks_do_not_matter(store, usual, algorithm, layout):
    if registry()[algorithm].data == "pooled":
        pytest.skip("pooled data is one client")
    np.testing.assert_allclose(run(store, algorithm, **layout), usual(algorithm), rtol=0, atol=1e-12)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_sweep_is_its_configurations_one_by_one(store, usual, algorithm):
    sweep, values = usual(algorithm), rates(algorithm)
    for number in range(len(sweep)):
        single = {name: column[number : number + 1] for name, column in values.items()}
        np.testing.assert_allclose(run(store, algorithm, hyperparameters=single)[0], sweep[number], atol=1e-12)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_loss_falls(store, algorithm):
    simulation = simulate(store, algorithm, rates(algorithm), penalty=L1, work=BATCHES)
    before = simulation.evaluate("train")["loss"]
    params_after(simulation, 15)
    assert np.all(simulation.evaluate("train")["loss"] < before)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_state_keeps_its_structure(store, algorithm):
    simulation = simulate(store, algorithm, rates(algorithm), penalty=L1, work=BATCHES)
    before = {name: (array.shape, array.dtype) for name, array in simulation.snapshot().items()}
    simulation.advance()
    assert {name: (array.shape, array.dtype) for name, array in simulation.snapshot().items()} == before


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_what_diverges_leaves_the_others_alone_and_can_be_retired(store, usual, algorithm):
    simulation = simulate(store, algorithm, grid(algorithm, [1e200, 0.01]), penalty=L1, work=BATCHES, cohort=6)
    params_after(simulation, 2)
    assert simulation.measure().alive.tolist() == [False, True]
    simulation.retire()
    assert simulation.active.tolist() == [1]
    np.testing.assert_allclose(params_after(simulation, 1)[0], usual(algorithm)[0], atol=1e-12)
