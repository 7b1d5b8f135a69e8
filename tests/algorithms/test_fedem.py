"""FedEM: its reductions (T15, T16), its E-step, and that EM never loses likelihood (T18)."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from simulating import params_after, simulate, write_labelled

from fedatlas.federated.batches import LocalWork
from fedatlas.federated.local_options import LocalOptions

SIZES = [30, 12, 21, 9]
LOGISTIC = {"name": "binary_logistic", "nonzero_above": 0.01, "spread": 1.0}
RATE = 0.5


def em(client_lr=RATE, stale=0.0):
    return {"client_lr": np.array([client_lr]), "stale": np.array([stale])}


def fedavg(client_lr=RATE):
    return {"client_lr": np.array([client_lr]), "server_lr": np.array([1.0])}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Two linear classifiers, which the clients mix in different proportions."""
    rng = np.random.default_rng(0)
    theta = rng.normal(size=(2, 4)) * 3

    def client(size, share):
        x = rng.normal(size=(size, 4))
        z = (rng.random(size) < share).astype(int)
        return {"x": x, "y": (np.einsum("nd,nd->n", x, theta[z]) > 0).astype(np.int32)}

    shares = (0.1, 0.9, 0.5, 0.3)
    clients = [(str(i), client(*pair)) for i, pair in enumerate(zip(SIZES, shares, strict=True))]
    return write_labelled(tmp_path_factory.mktemp("fedem") / "store", {"train": clients}, 2, 4)


def run(store, algorithm, hyperparameters, components=0, **options):
    problem = LOGISTIC | ({"components": components} if components else {})
    return simulate(store, algorithm, hyperparameters, problem=problem, weighting="examples", **options)


def of_client(store, client):
    data = store.read("train", client)
    return np.column_stack([data["x"], np.ones(len(data["y"]))]), 2 * data["y"] - 1


def losses_of(store, client, theta):
    """l(theta_m; s) of the examples of a client for components theta [M, d], [M, n]."""
    x, signs = of_client(store, client)
    return np.log1p(np.exp(-signs * (theta @ x.T)))


def components_of(w, number):
    return w[:-number].reshape(number, -1), w[-number:]


@pytest.mark.parametrize("cohort", [4, 2])
@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_one_component_is_fedavg(store, cohort, momentum):
    """T15."""
    options = {
        "work": LocalWork(batch_size=5, epochs=1),
        "cohort": cohort,
        "local": LocalOptions(momentum=momentum, weight_decay=0.01),
    }
    found = params_after(run(store, "fedem", em(), components=1, **options), 4)[0]
    start = run(store, "fedem", em(), components=1).measure().params[0, :-1]
    expected = params_after(run(store, "fedavg", fedavg(), start=start, **options), 4)[0]
    np.testing.assert_allclose(found, np.append(expected, 1.0), rtol=1e-12)
    assert np.abs(expected - start).max() > 0.1


def test_equal_components_are_fedavg_with_a_fraction_of_the_rate(store):
    """T16: they stay equal, pi stays uniform, and each moves as FedAvg with client_lr / M."""
    start, work = np.linspace(-0.5, 0.5, 5), LocalWork(batch_size=5, epochs=1)
    simulation = run(store, "fedem", em(), 3, start=np.concatenate([np.tile(start, 3), np.full(3, 1 / 3)]), work=work)
    theta, _ = components_of(params_after(simulation, 4)[0], 3)
    expected = params_after(run(store, "fedavg", fedavg(RATE / 3), start=start, work=work), 4)[0]
    np.testing.assert_allclose(theta, np.tile(expected, (3, 1)), rtol=1e-6)
    np.testing.assert_allclose(simulation.clients.weights, 1 / 3, rtol=1e-12)


def test_a_round_by_hand(store):
    """E-step, weights and one full-batch M-step of every client (equations 8 to 10), averaged by client size."""
    simulation = run(store, "fedem", em(), components=3)
    theta, pi = components_of(simulation.measure().params[0], 3)
    new = np.zeros_like(theta)
    for client, size in enumerate(SIZES):
        losses = losses_of(store, client, theta)
        joint = pi[:, None] * np.exp(-losses)
        q = joint / joint.sum(0)  # T18: each example's weights sum to 1
        x, signs = of_client(store, client)
        slopes = -signs / (1 + np.exp(signs * (theta @ x.T)))
        new += size / sum(SIZES) * (theta - RATE * (q * slopes) @ x / size)
        if client == 2:
            expected_pi = q.mean(1)
    simulation.advance()
    found, server_pi = components_of(simulation.measure().params[0], 3)
    np.testing.assert_allclose(found, new, rtol=1e-10)
    np.testing.assert_allclose(server_pi, 1 / 3)
    np.testing.assert_allclose(simulation.clients.weights[2, 0], expected_pi, rtol=1e-10)


def test_weights_of_examples_follow_the_shuffle(store):
    """One batch of all examples in another order is the full batch."""
    whole = params_after(run(store, "fedem", em(), components=2), 3)
    shuffled = params_after(run(store, "fedem", em(), components=2, work=LocalWork(batch_size=30, epochs=1)), 3)
    np.testing.assert_allclose(shuffled, whole, rtol=1e-9)


def likelihood(store, simulation, number):
    """f(Theta, Pi), the mean of -log sum_m pi_tm exp(-l) over all examples."""
    theta, _ = components_of(simulation.measure().params[0], number)
    total = 0.0
    for client in range(len(SIZES)):
        pi = simulation.clients.weights[client, 0]
        total -= np.log(pi @ np.exp(-losses_of(store, client, theta))).sum()
    return total / sum(SIZES)


def test_em_never_loses_likelihood(store):
    """T18, with an M-step short enough that it lowers each component's weighted loss."""
    simulation = run(store, "fedem", em(0.3), components=2)
    found = [likelihood(store, simulation, 2)]
    for _ in range(60):
        simulation.advance()
        found.append(likelihood(store, simulation, 2))
    assert np.all(np.diff(found) <= 1e-12)
    assert found[-1] < 0.8 * found[0]


def test_a_clients_own_model_mixes_probabilities(store):
    simulation = run(store, "fedem", em(), components=2)
    for _ in range(20):
        simulation.advance()
    theta, _ = components_of(simulation.measure().params[0], 2)
    found = simulation.evaluate_own(["train"])
    for client, size in enumerate(SIZES):
        losses, pi = losses_of(store, client, theta), simulation.clients.weights[client, 0]
        joint = pi[:, None] * np.exp(-losses)
        pi = (joint / joint.sum(0)).mean(1)  # an E-step on the shared components
        x, signs = of_client(store, client)
        p = pi @ (1 / (1 + np.exp(-(theta @ x.T))))
        np.testing.assert_allclose(found["train", "accuracy"][0, client], np.mean((p > 0.5) == (signs > 0)))
        np.testing.assert_allclose(found["train", "loss"][0, client], -np.log(pi @ np.exp(-losses)).mean(), rtol=1e-9)
        np.testing.assert_allclose(found["train", "weight_2"][0, client], pi[1], rtol=1e-9)
        np.testing.assert_allclose(found["train", "entropy"][0, client], -(pi * np.log(pi)).sum(), rtol=1e-9)
        assert losses.shape == (2, size)


def test_converged_weights_are_of_greatest_likelihood(store):
    """With components that no longer move, no other weights do better: mean_i p_m(i) / p(i) is 1, or less at a border.

    And training is FedEM's.
    """
    simulation = run(store, "fedem_converged", em(), components=2)
    params = params_after(simulation, 20)[0]
    np.testing.assert_array_equal(params, params_after(run(store, "fedem", em(), components=2), 20)[0])
    theta, found = components_of(params, 2)[0], simulation.evaluate_own(["train"])
    for client in range(len(SIZES)):
        pi = np.array([found["train", f"weight_{m}"][0, client] for m in (1, 2)])
        p = np.exp(-losses_of(store, client, theta))
        np.testing.assert_allclose(pi.sum(), 1)
        slopes = (p / (pi @ p)).mean(1)
        assert np.all(slopes < 1 + 1e-3)
        assert np.all((np.abs(slopes - 1) < 1e-3) | (pi < 1e-2))
        assert found["train", "loss"][0, client] <= -np.log(simulation.clients.weights[client, 0] @ p).mean()


def test_converged_weights_are_a_clients_own_affair(store):
    """They do not depend on which other clients are computed beside it."""
    found = []
    for chunk in (1, len(SIZES)):
        simulation = run(store, "fedem_converged", em(), components=2, chunk=chunk)
        params_after(simulation, 20)
        found.append(simulation.evaluate_own(["train"])["train", "weight_1"])
    np.testing.assert_allclose(*found, rtol=1e-10)


def test_stale_clients_hold_the_last_model(store):
    """The code's average over all clients: as much of the step as the cohort has of all examples."""
    options = {"components": 2, "cohort": 2}
    simulation = run(store, "fedem", em(), **options)
    start, cohort = simulation.measure().params[0], simulation.next_cohort()
    moved = [params_after(run(store, "fedem", em(stale=stale), **options), 1)[0] - start for stale in (0.0, 1.0)]
    share = np.array(SIZES)[cohort].sum() / sum(SIZES)
    np.testing.assert_allclose(moved[1], share * moved[0], rtol=1e-9, atol=1e-15)
    assert share != 0.5
    assert np.abs(moved[0]).max() > 1e-3
