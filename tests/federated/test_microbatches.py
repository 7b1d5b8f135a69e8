"""Values of single examples, a few of them at once."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from simulating import grid, params_after, simulate, write_classes

from fedatlas.federated.batches import LocalWork
from fedatlas.federated.microbatches import MICROBATCH, in_microbatches, without_padding
from fedatlas.problems.base import Batch

MOST = 2 * MICROBATCH + 30
MIXTURE = {"name": "multinomial_logistic", "components": 2}


def a_client(count):
    x = tf.random.stateless_normal([1, MOST, 3], [0, 1])
    return Batch(x, tf.zeros([1, MOST]), tf.sequence_mask([count], MOST))


@pytest.mark.parametrize("count", [0, 1, MICROBATCH - 1, MICROBATCH, MICROBATCH + 1, 2 * MICROBATCH, MOST])
def test_the_values_are_those_of_all_examples_at_once(count):
    def values_of(batch):
        means = tf.reduce_mean(batch.x, -1)
        return {"mean": means, "components": tf.stack([means, 2 * means], 1)}

    batch, sizes = a_client(count), []
    found = tf.function(lambda batch: in_microbatches(values_of, batch))(batch)
    expected = values_of(batch)
    for name in expected:
        assert found[name].shape == expected[name].shape
        np.testing.assert_array_equal(found[name][..., :count], expected[name][..., :count])
        np.testing.assert_array_equal(found[name][..., max(count, 1) :], 0)
    in_microbatches(lambda batch: sizes.append(batch.x.shape[1]) or values_of(batch), batch)
    assert sum(sizes) == max(count, 1)
    assert max(sizes) <= MICROBATCH


@pytest.mark.parametrize("count", [1, 7, MOST])
def test_what_fills_up_a_batch_is_left_out(count):
    batch = a_client(count)._replace(key=tf.constant([[1, 2]]), numbers=tf.range(MOST)[None])
    found = without_padding(batch)
    np.testing.assert_array_equal(found.x, batch.x[:, :count])
    np.testing.assert_array_equal(found.numbers, batch.numbers[:, :count])
    np.testing.assert_array_equal(found.key, batch.key)
    assert found.y.shape == found.mask.shape == (1, count) and np.all(found.mask)


def test_an_empty_batch_keeps_a_place():
    found = without_padding(a_client(0))
    assert found.x.shape == (1, 1, 3) and not np.any(found.mask)


@pytest.mark.parametrize(("algorithm", "problem", "compiled"), [
    ("fedavg_finetuned", {"name": "multinomial_logistic"}, True),
    ("fedem", MIXTURE, False),
])  # fmt: skip
def test_xla_compiles_clients_one_by_one_where_it_knows_all_sizes(tmp_path, algorithm, problem, compiled):
    store = write_classes(tmp_path / "store", {"train": [6, 9, 3], "test": [4, 1, 5]}, classes=4)

    def run(chunk, **attributes):
        simulation = simulate(
            store, algorithm, grid(algorithm, [0.1]), problem=problem, chunk=chunk, attributes=attributes,
            work=LocalWork(batch_size=4, epochs=1),
        )  # fmt: skip
        return simulation.compiled, params_after(simulation, 2), simulation.evaluate_own(["train", "test"])

    by_xla, w, own = run(1, one_by_one=True, compile="xla")
    _, expected, others = run(3, one_by_one=False, compile="graph")
    assert by_xla == compiled
    np.testing.assert_allclose(w, expected, rtol=1e-9, atol=1e-12)
    for key in others:
        np.testing.assert_allclose(own[key], others[key], rtol=1e-9, err_msg=str(key))


def test_mixtures_of_clients_one_by_one_are_those_side_by_side(tmp_path):
    """FedEM: E-steps and the clients' own models, on clients of less and of more than a microbatch."""
    sizes = {"train": [6, MICROBATCH + 50, 9], "test": [MICROBATCH + 10, 1, 4]}
    store = write_classes(tmp_path / "store", sizes, classes=4)
    start = np.append(np.random.default_rng(0).normal(size=2 * 4 * 4), [0.5, 0.5])

    def run(one_by_one, chunk):
        simulation = simulate(
            store, "fedem", grid("fedem", [0.1, 0.3]), problem=MIXTURE, start=start,
            work=LocalWork(batch_size=100, epochs=1), chunk=chunk, attributes={"one_by_one": one_by_one},
        )  # fmt: skip
        return params_after(simulation, 2), simulation.evaluate_own(["train", "test"])

    (w, own), (expected, others) = run(True, 1), run(False, 3)
    np.testing.assert_allclose(w, expected, rtol=1e-9, atol=1e-12)
    assert set(own) == set(others)
    for key in own:
        np.testing.assert_allclose(own[key], others[key], rtol=1e-9, err_msg=str(key))
