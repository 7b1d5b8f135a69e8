"""Local options, the keys of local steps, and problems that are trained one by one."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from simulating import full_gradients, grid, params_after, simulate, write_classes, write_regression

from fedatlas.errors import AtlasError
from fedatlas.federated.batches import LocalWork, Streams
from fedatlas.federated.local_options import LocalOptions

RATE = 0.01
START = np.linspace(-1, 1, 7)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return write_regression(tmp_path_factory.mktemp("local") / "store", [8, 5])


def after_a_round(store, options, rounds=1):
    rates = grid("fedavg", [RATE])
    return params_after(simulate(store, "fedavg", rates, start=START, local=options), rounds)[0]


def by_hand(store, w, change, rate=RATE):
    """A round of FedAvg with one full-batch step."""
    return w - rate * np.mean([change(g) for g in full_gradients(store, w)], axis=0)


def test_weight_decay_adds_to_the_gradient(store):
    expected = by_hand(store, START, lambda g: g + 0.7 * START)
    np.testing.assert_allclose(after_a_round(store, LocalOptions(weight_decay=0.7)), expected, rtol=1e-12)


def test_a_long_gradient_is_clipped_to_its_norm_and_a_short_one_is_not(store):
    norms = np.linalg.norm(full_gradients(store, START), axis=1)
    between = norms.mean()
    assert norms.min() < between < norms.max()
    expected = by_hand(store, START, lambda g: g * min(1, between / np.linalg.norm(g)))
    np.testing.assert_allclose(after_a_round(store, LocalOptions(clip_norm=between)), expected, rtol=1e-12)


def test_weight_decay_is_clipped_too(store):
    expected = by_hand(store, START, lambda g: (g + 3 * START) * min(1, 0.5 / np.linalg.norm(g + 3 * START)))
    found = after_a_round(store, LocalOptions(weight_decay=3.0, clip_norm=0.5))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("clipped", [None, "step"])
def test_a_correction_is_clipped_with_the_gradient_where_the_whole_step_is(store, clipped):
    """FedProx, two full-batch steps: clip(g + decay w) + mu (w - w0), or clip(g + mu (w - w0)) + decay w."""
    mu, decay, most = 30.0, 0.7, 2.0

    def clip(v):
        return v * min(1, most / np.linalg.norm(v))

    ends = []
    for client in range(2):
        w = START
        for _ in range(2):
            gradient, pull = full_gradients(store, w)[client], mu * (w - START)
            step = clip(gradient + pull) + decay * w if clipped else clip(gradient + decay * w) + pull
            w = w - RATE * step
        ends.append(w)
    options = LocalOptions(weight_decay=decay, clip_norm=most, clipped=clipped)
    rates = grid("fedprox", [RATE]) | {"mu": np.array([mu])}
    found = simulate(store, "fedprox", rates, start=START, local=options, work=LocalWork(None, steps=2))
    np.testing.assert_allclose(params_after(found, 1)[0], np.mean(ends, axis=0), rtol=1e-12)


def test_the_client_learning_rate_decays_with_the_rounds(store):
    expected = START
    for round_number in range(3):
        expected = by_hand(store, expected, lambda g: g, RATE * 0.5**round_number)
    np.testing.assert_allclose(after_a_round(store, LocalOptions(client_lr_decay=0.5), 3), expected, rtol=1e-12)


def test_what_has_no_momentum_keeps_none(store):
    """FedSAM asks for two gradients in a step, which momentum does not allow."""
    found = [
        params_after(
            simulate(store, "fedsam", grid("fedsam", [RATE]), local=LocalOptions(keeps_momentum=keeps),
                     work=LocalWork(None, steps=2)), 2,
        )
        for keeps in (True, False)
    ]  # fmt: skip
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("keeps", [True, False])
def test_momentum_is_that_of_sgd(store, keeps):
    """v = beta v + g, w = w - rate v; a client that keeps v begins the next round with it."""
    options, size = LocalOptions(momentum=0.8, keeps_momentum=keeps, client_lr_drops=(2,)), len(START)
    simulation = simulate(
        store, "fedavg", grid("fedavg", [RATE]), start=START, local=options, work=LocalWork(None, steps=3)
    )
    w, kept = START, np.zeros((2, size))
    for round_number in range(3):
        rate, ends = RATE * (0.1 if round_number == 2 else 1), []
        for client in range(2):
            local, v = w, kept[client]
            for _ in range(3):
                v = 0.8 * v + full_gradients(store, local)[client]
                local = local - rate * v
            kept[client] = v if keeps else 0
            ends.append(local)
        w = np.mean(ends, axis=0)
    np.testing.assert_allclose(params_after(simulation, 3)[0], w, rtol=1e-10)


def test_momentum_is_for_one_gradient_in_a_step(store):
    simulation = simulate(store, "fedsam", grid("fedsam", [RATE]), local=LocalOptions(momentum=0.8))
    with pytest.raises(AtlasError, match="'training.local.momentum' is for algorithms with one gradient in a step"):
        simulation.advance()


def test_a_decaying_rate_is_the_one_that_scaffold_divides_by(store):
    """T11: with one full-batch step, the control variates are the gradients at the round's model."""
    simulation = simulate(
        store, "scaffold", grid("scaffold", [RATE]), start=START, local=LocalOptions(client_lr_decay=0.5)
    )
    simulation.advance()
    w = simulation.measure().params[0]
    simulation.advance()
    np.testing.assert_allclose(simulation.clients.control[:, 0], full_gradients(store, w), rtol=1e-9)


def test_every_client_round_and_step_has_a_key_of_its_own():
    keys = [Streams(tf.constant([0, 1, 5]), 7, tf.constant(r)).of_steps(4).numpy() for r in (0, 1)]
    assert keys[0].shape == (4, 3, 2)
    assert len(np.unique(np.reshape(keys, [-1, 2]), axis=0)) == 2 * 4 * 3
    alone = Streams(tf.constant([5]), 7, tf.constant(1)).of_steps(4).numpy()
    np.testing.assert_array_equal(alone[:, 0], keys[1][:, 2])


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    sizes = {"train": [6, 3, 9], "test": [300, 30, 1, 220]}
    return write_classes(tmp_path_factory.mktemp("pictures") / "store", sizes, classes=4)


@pytest.mark.parametrize("weighting", ["uniform", "examples"])
def test_one_by_one_is_the_same_as_side_by_side(pictures, weighting):
    def run(one_by_one, chunk):
        simulation = simulate(
            pictures,
            "fedavg",
            grid("fedavg", [0.1, 0.3], [1.0, 0.5]),
            problem={"name": "mlp", "hidden": (5,)},
            work=LocalWork(batch_size=4, epochs=2),
            weighting=weighting,
            chunk=chunk,
            cohort=2,
            attributes={"one_by_one": one_by_one},
        )
        params = params_after(simulation, 3)
        return params, simulation.evaluate("test")

    (w, metrics), (expected, others) = run(True, 1), run(False, 3)
    np.testing.assert_allclose(w, expected, rtol=1e-9, atol=1e-12)
    assert set(metrics) == {"loss", "accuracy"}
    for name in metrics:
        np.testing.assert_allclose(metrics[name], others[name], rtol=1e-9)
