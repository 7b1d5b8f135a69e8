"""What a simulation computes whatever the layout, and what it measures."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from simulating import grid, params_after, simulate, write_regression
from tensorflow.python.ops import script_ops

from fedatlas.federated import cohorts, computations, engines
from fedatlas.federated.batches import LocalWork

SIZES = [9, 2, 5, 13]
RATES = grid("fedmid", [0.01, 0.05], [1.0])
BALL = {"name": "l2_ball", "radius": 0.5}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    engines.install("inprocess", 2)
    yield write_regression(tmp_path_factory.mktemp("stores") / "unequal", SIZES)
    engines.install("inprocess", 1)


def constrained(store, **options):
    return simulate(store, "fedmid", RATES, penalty=BALL, work=LocalWork(batch_size=4, epochs=3), **options)


@pytest.fixture(scope="module")
def together(store):
    """The models after three rounds of all clients side by side, [G, d]."""
    return params_after(constrained(store), 3)


@pytest.mark.parametrize("layout", [{"chunk": 1}, {"chunk": 3}, {"shards": 2, "chunk": 1}, {"shards": 2, "chunk": 2}])
def test_clients_of_different_sizes_in_any_layout(store, together, layout):
    np.testing.assert_allclose(params_after(constrained(store, **layout), 3), together, rtol=1e-10)


@pytest.mark.parametrize("algorithm", ["fedmid", "feddualavg"])
def test_configurations_in_groups(store, monkeypatch, algorithm):
    """One group of 2 x 3 after another, as where the parameters of all do not fit the cache."""
    rates = grid(algorithm, [0.01, 0.03, 0.05], [0.3, 1.0])

    def run():
        simulation = simulate(store, algorithm, rates, penalty=BALL, work=LocalWork(batch_size=4, epochs=3), chunk=2)
        return simulation.advance(), params_after(simulation, 2)

    costs, together = run()
    monkeypatch.setattr(cohorts, "GROUP_BYTES", 3 * 8 * together.shape[1])
    found_costs, found = run()
    np.testing.assert_array_equal(found_costs, costs)
    np.testing.assert_allclose(found, together, rtol=1e-12)


@pytest.mark.parametrize("fit", [6, 3, 1])
def test_a_sweep_is_computed_in_as_few_groups_as_fit(store, monkeypatch, fit):
    """What is counted is how often a chunk of clients is trained in a round, and for how many configurations at once.

    Groups make no difference in the results, only in time.
    """
    monkeypatch.setattr(cohorts, "GROUP_BYTES", fit * 8 * 7)
    # TensorFlow holds the functions that count weakly, and so forgets them with the graph that was traced.
    monkeypatch.setattr(script_ops._py_funcs, "_funcs", dict(script_ops._py_funcs._funcs))
    trained, train_chunk = [], computations.train_chunk

    def counting(algorithm, message, *arguments):
        def count(values):
            trained.append(len(values))
            return values

        values = algorithm.client_lr
        seen = tf.ensure_shape(tf.numpy_function(count, [values], values.dtype), values.shape)
        return train_chunk(dataclasses.replace(algorithm, client_lr=seen), message, *arguments)

    monkeypatch.setattr(computations, "train_chunk", counting)
    rates = grid("fedmid", [0.01, 0.03, 0.05], [0.3, 1.0])
    simulate(store, "fedmid", rates, penalty=BALL, work=LocalWork(batch_size=4, epochs=3), chunk=2).advance()
    chunks = len(SIZES) // 2
    assert trained == [fit] * (chunks * 6 // fit)


@pytest.mark.parametrize(("configurations", "fit", "group"), [(25, 25, 25), (25, 24, 5), (25, 4, 1), (7, 0.5, 1)])
def test_groups_are_of_one_size(configurations, fit, group):
    assert cohorts.fitting_group(configurations, cohorts.GROUP_BYTES / fit) == group


def test_a_constrained_run_starts_in_its_set(store):
    start = np.linspace(-1, 1, 7)
    found = constrained(store, start=start).measure().params
    expected = np.append(start[:-1] * 0.5 / np.linalg.norm(start[:-1]), start[-1])
    np.testing.assert_allclose(found, [expected, expected], rtol=1e-12)


def test_gradients_are_counted_by_example(store):
    assert constrained(store, chunk=1).advance().gradient_evaluations.tolist() == [3 * sum(SIZES)] * 2


def test_how_far_a_model_lies_outside_its_set_is_measured(store):
    """Federated averaging ignores the set, as a fraction of whose radius the distance is given."""
    work = LocalWork(batch_size=4, epochs=3)
    ignoring = simulate(store, "fedavg", RATES, penalty=BALL, work=work)
    norms = np.linalg.norm(params_after(ignoring, 3)[:, :-1], axis=-1)
    assert norms.min() > 0.5
    np.testing.assert_allclose(ignoring.measure().metrics["violation"], norms / 0.5 - 1)
    heeding = constrained(store)
    assert params_after(heeding, 3).any()
    assert heeding.measure().metrics["violation"].max() < 1e-14
    assert "violation" not in simulate(store, "fedavg", RATES).measure().metrics


@pytest.mark.parametrize("weighting", ["uniform", "examples"])
def test_evaluation_is_a_mean_over_clients(store, weighting):
    simulation = constrained(store, weighting=weighting)
    w = params_after(simulation, 2)
    losses = []
    for client in range(len(SIZES)):
        arrays = store.read("train", client)
        losses.append(((arrays["x"] @ w[:, :-1].T + w[:, -1] - arrays["y"][:, None]) ** 2).mean(0))
    weights = SIZES if weighting == "examples" else None
    np.testing.assert_allclose(simulation.evaluate("train")["loss"], np.average(losses, axis=0, weights=weights))


def test_a_client_without_examples_leaves_the_steps_of_the_others_as_they_are(tmp_path):
    work, found = LocalWork(batch_size=2, steps=1), []
    for sizes in ([2], [2, 0]):
        store = write_regression(tmp_path / str(len(sizes)), sizes)
        found.append(params_after(simulate(store, "fedmid", RATES, work=work), 2))
    np.testing.assert_allclose(*found, rtol=1e-12)
