"""Exact tests of SCAFFOLD, FedCM and FedSAM: reductions, fixed points, rounds by hand."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from algorithms.quadratics import gradients, solution
from algorithms.states import of_clients, of_server, place
from simulating import grid, params_after, simulate, write_regression

from fedatlas.algorithms.scaffold import Client, Scaffold, Update
from fedatlas.federated.batches import LocalWork

SIZES = [8, 8, 8, 8, 8]
EPOCH = LocalWork(batch_size=3, epochs=2)
THREE = LocalWork(batch_size=None, steps=3)
D = 7


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return write_regression(tmp_path_factory.mktemp("stores") / "equal", SIZES)


def column(**values):
    """One configuration."""
    return {name: np.array([value]) for name, value in values.items()}


def local_models(store, x, client_lr, steps, corrections):
    """Full-batch local steps from x along the gradients plus these corrections [num_clients, d]."""
    models = np.tile(x, (len(SIZES), 1))
    for _ in range(steps):
        models -= client_lr * (gradients(store, models) + corrections)
    return models


def test_scaffold_with_one_full_step_is_gradient_descent_and_learns_the_gradients(store):
    client_lr, server_lr, x = 0.02, 0.5, np.zeros(D)
    rates = grid("scaffold", [client_lr], [server_lr])
    simulation = simulate(store, "scaffold", rates)
    simulation.advance()
    np.testing.assert_allclose(of_clients(simulation)[0], gradients(store, x), atol=1e-10)
    for _ in range(5):
        x = x - server_lr * client_lr * gradients(store, x).mean(0)
    np.testing.assert_allclose(params_after(simulation, 4)[0], x, atol=1e-10)


@pytest.mark.parametrize("cohort", [5, 2])
def test_scaffold_by_hand_with_part_of_the_clients(store, cohort):
    client_lr, server_lr, steps = 0.01, 0.8, 3
    x, c, controls = np.zeros(D), np.zeros(D), np.zeros((len(SIZES), D))
    simulation = simulate(store, "scaffold", grid("scaffold", [client_lr], [server_lr]), work=THREE, cohort=cohort)
    for _ in range(4):
        chosen = simulation.next_cohort()
        y = local_models(store, x, client_lr, steps, c - controls)[chosen]
        new = controls[chosen] - c + (x - y) / (steps * client_lr)
        x = x + server_lr * (y - x).mean(0)
        c = c + (new - controls[chosen]).sum(0) / len(SIZES)
        controls[chosen] = new
        simulation.advance()
    np.testing.assert_allclose(of_server(simulation), [x, c], atol=1e-10)
    np.testing.assert_allclose(of_clients(simulation)[0], controls, atol=1e-10)
    np.testing.assert_allclose(c, controls.mean(0), atol=1e-12)


def test_scaffold_keeps_the_weighted_mean_of_the_controls_of_clients_of_different_sizes(tmp_path):
    ragged = write_regression(tmp_path / "ragged", [3, 9, 5, 12, 7])
    weights = np.array(ragged.sizes("train")) / sum(ragged.sizes("train"))
    rates = grid("scaffold", [0.01], [0.8])
    simulation = simulate(ragged, "scaffold", rates, work=THREE, cohort=2, weighting="examples")
    for _ in range(6):
        simulation.advance()
        _, c = of_server(simulation)
        np.testing.assert_allclose(c, weights @ of_clients(simulation)[0], atol=1e-12)


def test_scaffold_without_controls_is_federated_averaging(store, monkeypatch):
    rates = grid("fedavg", [0.01, 0.03], [0.3, 1.0])
    fedavg = params_after(simulate(store, "fedavg", rates, work=EPOCH, cohort=3), 4)
    controlled = params_after(simulate(store, "scaffold", rates, work=EPOCH, cohort=3), 4)
    assert np.all(np.abs(controlled - fedavg).max(-1) > 1e-4)

    def finish(self, y, k, message, client):
        return Update(y - message.params, tf.zeros_like(y)), Client(tf.zeros_like(y))

    monkeypatch.setattr(Scaffold, "finish", finish)
    np.testing.assert_array_equal(params_after(simulate(store, "scaffold", rates, work=EPOCH, cohort=3), 4), fedavg)


def test_scaffold_stays_at_the_solution_where_federated_averaging_drifts(store):
    """c_i the gradients at the solution, and c = 0."""
    optimum = solution(store)
    options = {"work": THREE, "start": optimum}
    simulation = simulate(store, "scaffold", grid("scaffold", [0.02]), **options)
    place(simulation, [optimum, np.zeros(D)], [gradients(store, optimum)])
    np.testing.assert_allclose(params_after(simulation, 3)[0], optimum, atol=1e-10)
    np.testing.assert_allclose(of_clients(simulation)[0], gradients(store, optimum), atol=1e-9)
    drifted = params_after(simulate(store, "fedavg", grid("fedavg", [0.02]), **options), 3)[0]
    assert np.abs(drifted - optimum).max() > 1e-3


def test_fedcm_by_hand(store):
    client_lr, server_lr, alpha, steps = 0.02, 0.7, 0.3, 3
    x, momentum = np.zeros(D), np.zeros(D)
    for _ in range(4):
        models = np.tile(x, (len(SIZES), 1))
        for _ in range(steps):
            models -= client_lr * (alpha * gradients(store, models) + (1 - alpha) * momentum)
        momentum = (x - models).mean(0) / (client_lr * steps)
        x = x - server_lr * client_lr * steps * momentum  # eta_g = server_lr eta_l K
    values = column(client_lr=client_lr, server_lr=server_lr, alpha=alpha)
    simulation = simulate(store, "fedcm", values, work=THREE)
    np.testing.assert_allclose(params_after(simulation, 4)[0], x, atol=1e-12)
    np.testing.assert_allclose(of_server(simulation)[1], momentum, atol=1e-12)


def test_fedsam_by_hand(store):
    client_lr, server_lr, rho, steps, x = 0.02, 0.7, 0.4, 3, np.zeros(D)
    for _ in range(4):
        models = np.tile(x, (len(SIZES), 1))
        for _ in range(steps):
            ascent = gradients(store, models)
            worst = models + rho * ascent / np.linalg.norm(ascent, axis=-1, keepdims=True)
            models -= client_lr * gradients(store, worst)
        x = x + server_lr * (models - x).mean(0)
    values = column(client_lr=client_lr, server_lr=server_lr, rho=rho)
    np.testing.assert_allclose(params_after(simulate(store, "fedsam", values, work=THREE), 4)[0], x, atol=1e-10)


@pytest.mark.parametrize(("algorithm", "neutral"), [("fedcm", {"alpha": 1.0}), ("fedsam", {"rho": 0.0})])
def test_without_its_own_term_it_is_federated_averaging(store, algorithm, neutral):
    rates = grid("fedavg", [0.01, 0.03], [0.3, 1.0])
    fedavg = params_after(simulate(store, "fedavg", rates, work=EPOCH, cohort=3), 4)
    values = rates | {name: np.full(4, value) for name, value in neutral.items()}
    np.testing.assert_array_equal(params_after(simulate(store, algorithm, values, work=EPOCH, cohort=3), 4), fedavg)
