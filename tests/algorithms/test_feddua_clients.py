"""FedDuA with part of the clients, and with what SCAFFOLD and FedProx add to their steps."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from algorithms.feddua_by_hand import USUAL, step_by_hand
from algorithms.quadratics import gradients
from algorithms.states import of_clients, of_server
from simulating import grid, params_after, simulate, write_regression

from fedatlas.algorithms import registry
from fedatlas.algorithms.scaffold import Client
from fedatlas.federated import engines
from fedatlas.federated.batches import LocalWork


@pytest.fixture(scope="module", autouse=True)
def in_process():
    engines.install("inprocess", 1)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return write_regression(tmp_path_factory.mktemp("stores") / "equal", [8] * 5)


def local_models(store, w, client_lr, steps, corrections=0.0, mu=0.0):
    """Full-batch local steps from w along the gradients plus these corrections [num_clients, d] and mu (w' - w)."""
    models = np.tile(w, (5, 1))
    for _ in range(steps):
        models = models - client_lr * (gradients(store, models) + corrections + mu * (models - w))
    return models


def test_fedduadam_with_part_of_the_clients_by_hand(store):
    client_lr, steps, cohort, w = 0.02, 3, 3, np.zeros(7)
    values = {key: np.array([(USUAL | {"client_lr": client_lr})[key]]) for key in grid("fedduadam", [1.0])}
    simulation = simulate(store, "fedduadam", values, work=LocalWork(batch_size=None, steps=steps), cohort=cohort)
    memory, points = (np.zeros(7), np.zeros(7), 0.0), [w]
    for _ in range(4):
        moves = (local_models(store, w, client_lr, steps) - w)[simulation.next_cohort()]
        step, memory = step_by_hand("fedduadam", moves.mean(0), (moves**2).sum(-1).mean(), memory, 0.0, 0.0)
        w = w + step
        points.append(w)
        simulation.advance()
    np.testing.assert_allclose(simulation.measure().params[0], (points[-1] + points[-2]) / 2, atol=1e-11)


def test_fedprox_with_feddua_by_hand(store):
    client_lr, steps, cohort, mu, points = 0.02, 3, 3, 4.0, [np.zeros(7)]
    values = {"client_lr": [client_lr], "eps_g": [0.0], "epsilon": [0.0], "mu": [mu]}
    work = LocalWork(batch_size=None, steps=steps)
    simulation = simulate(store, "fedprox_feddua", values, work=work, cohort=cohort)
    memory = (np.zeros(7), np.zeros(7), 0.0)
    for _ in range(4):
        w = points[-1]
        moves = (local_models(store, w, client_lr, steps, mu=mu) - w)[simulation.next_cohort()]
        step, memory = step_by_hand("fedduadagrad", moves.mean(0), (moves**2).sum(-1).mean(), memory, 0.0, 0.0)
        points.append(w + step)
        simulation.advance()
    np.testing.assert_allclose(of_server(simulation)[0], points[-1], atol=1e-10)


def test_scaffold_with_feddua_by_hand(store):
    client_lr, steps, cohort = 0.01, 3, 2
    w, c, controls = np.zeros(7), np.zeros(7), np.zeros((5, 7))
    values = {"client_lr": [client_lr], "eps_g": [0.0], "epsilon": [0.0]}
    work = LocalWork(batch_size=None, steps=steps)
    simulation = simulate(store, "scaffold_feddua", values, work=work, cohort=cohort)
    memory = (np.zeros(7), np.zeros(7), 0.0)
    for _ in range(4):
        chosen = simulation.next_cohort()
        y = local_models(store, w, client_lr, steps, c - controls)[chosen]
        new = controls[chosen] - c + (w - y) / (steps * client_lr)
        sizes = ((y - w) ** 2).sum(-1).mean()
        step, memory = step_by_hand("fedduadagrad", (y - w).mean(0), sizes, memory, 0.0, 0.0)
        w, c = w + step, c + (new - controls[chosen]).sum(0) / 5
        controls[chosen] = new
        simulation.advance()
    state = of_server(simulation)
    np.testing.assert_allclose([state[0], state[-1]], [w, c], atol=1e-10)
    np.testing.assert_allclose(of_clients(simulation)[0], controls, atol=1e-10)
    np.testing.assert_allclose(c, controls.mean(0), atol=1e-12)


def test_what_the_clients_add_can_be_switched_off(store, monkeypatch):
    """FedProx with mu = 0, and SCAFFOLD whose controls stay 0, leave FedDuAdagrad to the bit."""
    values = {name: np.array([value]) for name, value in {"client_lr": 0.02, "eps_g": 0.0, "epsilon": 0.0}.items()}
    options = {"work": LocalWork(batch_size=3, epochs=1), "cohort": 3}
    plain = params_after(simulate(store, "fedduadagrad", values, **options), 3)
    prox = params_after(simulate(store, "fedprox_feddua", values | {"mu": np.array([0.0])}, **options), 3)
    np.testing.assert_array_equal(prox, plain)
    cls = registry()["scaffold_feddua"]
    finish = cls.finish

    def forgetting(self, y, k, message, client):
        update, new = finish(self, y, k, message, client)
        return update._replace(control=tf.zeros_like(y)), Client(tf.zeros_like(y))

    monkeypatch.setattr(cls, "finish", forgetting)
    np.testing.assert_array_equal(params_after(simulate(store, "scaffold_feddua", values, **options), 3), plain)
