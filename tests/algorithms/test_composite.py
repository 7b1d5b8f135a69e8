"""Exact tests of the algorithms of Federated Composite Optimization: reductions, fixed points, rounds by hand."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("tensorflow")

from simulating import full_gradients, grid, params_after, simulate, soft, write_regression

from fedatlas.federated.batches import LocalWork

COMPOSITE = ["fedmid", "fedmid_osp", "feddualavg", "feddualavg_osp"]
SIZES = [8, 8, 8, 8, 8]
STRENGTH = 0.2
L1 = {"name": "l1", "strength": STRENGTH}
BALL = {"name": "l2_ball", "radius": 0.8}
EPOCH = LocalWork(batch_size=3, epochs=2)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return write_regression(tmp_path_factory.mktemp("stores") / "equal", SIZES)


@pytest.mark.parametrize("algorithm", COMPOSITE)
def test_without_a_penalty_it_is_federated_averaging(store, algorithm):
    rates = grid("fedavg", [0.01, 0.03], [0.3, 1.0])
    fedavg = params_after(simulate(store, "fedavg", rates, work=EPOCH, cohort=3), 4)
    np.testing.assert_array_equal(params_after(simulate(store, algorithm, rates, work=EPOCH, cohort=3), 4), fedavg)


@pytest.mark.parametrize("inactive", [{"name": "l1", "strength": 0.0}, {"name": "l1_ball", "radius": 1e6}])
@pytest.mark.parametrize("algorithm", ["fedmid", "feddualavg"])
def test_only_server_proximal_is_the_same_where_the_penalty_is_inactive(store, algorithm, inactive):
    options = {"penalty": inactive, "work": EPOCH, "cohort": 3}
    rates = grid(algorithm, [0.01, 0.03], [0.3, 1.0])
    full = params_after(simulate(store, algorithm, rates, **options), 4)
    np.testing.assert_array_equal(params_after(simulate(store, f"{algorithm}_osp", rates, **options), 4), full)


def test_fedavg_with_one_full_step_is_gradient_descent(store):
    w = np.zeros(7)
    for _ in range(5):
        w = w - 0.5 * 0.02 * full_gradients(store, w).mean(0)
    found = params_after(simulate(store, "fedavg", grid("fedavg", [0.02], [0.5])), 5)
    np.testing.assert_allclose(found[0], w, atol=1e-10)


def test_fedavg_subgradient_steps_along_the_subgradient(store):
    w = np.full(7, 0.5)
    for _ in range(5):
        w = w - 0.02 * (full_gradients(store, w).mean(0) + STRENGTH * np.append(np.sign(w[:-1]), 0))
    rates = grid("fedavg_subgradient", [0.02])
    found = params_after(simulate(store, "fedavg_subgradient", rates, penalty=L1, start=np.full(7, 0.5)), 5)
    np.testing.assert_allclose(found[0], w, atol=1e-10)


def test_feddualavg_with_one_full_step_is_regularised_dual_averaging(store):
    client_lr, server_lr, z = 0.02, 0.7, np.zeros(7)
    for r in range(6):
        w = soft(z, server_lr * client_lr * r * STRENGTH)
        z = z - server_lr * client_lr * full_gradients(store, w).mean(0)
    expected = soft(z, server_lr * client_lr * 6 * STRENGTH)
    rates = grid("feddualavg", [client_lr], [server_lr])
    np.testing.assert_allclose(
        params_after(simulate(store, "feddualavg", rates, penalty=L1), 6)[0], expected, atol=1e-10
    )


def test_averaged_dual_averaging_reports_the_mean_of_the_models(store):
    rates, options = grid("feddualavg", [0.01, 0.03], [0.3, 1.0]), {"penalty": L1, "work": EPOCH, "cohort": 3}
    models = [params_after(simulate(store, "feddualavg", rates, **options), r) for r in (1, 2, 3)]
    averaged = [params_after(simulate(store, "feddualavg_averaged", rates, **options), r) for r in (0, 1, 3)]
    for found, expected in zip(averaged, (0, models[0], np.mean(models, 0)), strict=True):
        np.testing.assert_allclose(found, np.zeros_like(models[0]) + expected, rtol=0, atol=1e-15)


def test_fedmid_with_small_steps_counts_a_finite_penalty_twice(store):
    """Clients shrink by eta_c at each step, and the server by eta_s eta_c K once more, as Algorithm 2 is printed."""
    twice = {"name": "l1", "strength": 2 * STRENGTH}
    optimum = params_after(simulate(store, "fista", {"client_lr": [0.05]}, penalty=twice), 400)
    rates = grid("fedmid", [1e-9], [0.05e9])
    found = params_after(simulate(store, "fedmid", rates, penalty=L1), 400)
    np.testing.assert_allclose(found, optimum, rtol=0, atol=1e-7)


def test_feddualavg_shrinks_by_the_elapsed_rate_within_a_round(store):
    client_lr, server_lr, steps, z, elapsed = 0.01, 0.5, 3, np.zeros(7), 0.0
    for _ in range(3):
        duals = np.tile(z, (len(SIZES), 1))
        for k in range(steps):
            primal = np.array([soft(dual, (elapsed + client_lr * k) * STRENGTH) for dual in duals])
            duals -= client_lr * np.array([full_gradients(store, w)[m] for m, w in enumerate(primal)])
        z = z + server_lr * (duals - z).mean(0)
        elapsed += server_lr * client_lr * steps
    work = LocalWork(batch_size=None, steps=steps)
    rates = grid("feddualavg", [client_lr], [server_lr])
    found = params_after(simulate(store, "feddualavg", rates, penalty=L1, work=work), 3)
    np.testing.assert_allclose(found[0], soft(z, elapsed * STRENGTH), atol=1e-10)


@pytest.mark.parametrize(("algorithm", "shrinks"), [("fedmid_osp", 1), ("fedmid", 2)])
def test_fedmid_with_one_full_step_and_one_client(tmp_path, algorithm, shrinks):
    """FedMiD-OSP is the proximal gradient method; FedMiD shrinks once more, on the client."""
    store, w, client_lr = write_regression(tmp_path / "one", [8]), np.full(7, 0.5), 0.02
    for _ in range(5):
        w = soft(w - client_lr * full_gradients(store, w)[0], shrinks * client_lr * STRENGTH)
    rates = grid(algorithm, [client_lr])
    found = params_after(simulate(store, algorithm, rates, penalty=L1, start=np.full(7, 0.5)), 5)
    np.testing.assert_allclose(found[0], w, atol=1e-10)


@pytest.mark.parametrize(
    ("algorithm", "clients"), [("fedmid_osp", slice(None)), ("centralized", slice(None)), ("single_client", slice(1))]
)
def test_with_one_full_step_it_is_the_proximal_gradient_method(store, algorithm, clients):
    """FedMiD-OSP on all clients, the centralised baseline on their pooled data, the local one on the first client."""
    client_lr, w = 0.02, np.zeros(7)
    for _ in range(5):
        w = soft(w - client_lr * full_gradients(store, w)[clients].mean(0), client_lr * STRENGTH)
    found = params_after(simulate(store, algorithm, grid(algorithm, [client_lr]), penalty=L1), 5)
    np.testing.assert_allclose(found[0], w, atol=1e-10)


def test_fedmid_uses_the_mean_elapsed_rate_of_unequal_clients(tmp_path):
    """Clients of 2 and 6 examples in batches of 2 take 1 and 3 steps: the server shrinks by 2 client rates."""
    store = write_regression(tmp_path / "unequal", [2, 6])
    rates, one_pass = grid("fedmid_osp", [0.01]), LocalWork(batch_size=2, epochs=1)
    plain = params_after(simulate(store, "fedavg", rates, work=one_pass), 1)[0]
    found = params_after(simulate(store, "fedmid_osp", rates, penalty=L1, work=one_pass), 1)[0]
    np.testing.assert_allclose(found, soft(plain, 2 * 0.01 * STRENGTH), atol=1e-12)


def into_the_ball(v):
    """The projection of the kernel by hand; the last coordinate is the bias and stays."""
    return np.append(v[:-1] * min(1, BALL["radius"] / np.linalg.norm(v[:-1])), v[-1])


@pytest.mark.parametrize("algorithm", ["fedmid", "fedmid_osp"])
def test_fedmid_in_a_set_with_one_full_step_is_the_projected_gradient_method(tmp_path, algorithm):
    store, w = write_regression(tmp_path / "one", [8]), np.zeros(7)
    for _ in range(5):
        w = into_the_ball(w - 0.05 * full_gradients(store, w)[0])
    found = params_after(simulate(store, algorithm, grid(algorithm, [0.05]), penalty=BALL), 5)
    np.testing.assert_allclose(found[0], w, atol=1e-10)
    np.testing.assert_allclose(np.linalg.norm(found[0][:-1]), BALL["radius"])


def test_fedmid_averages_the_projected_models_of_its_clients(store):
    w = np.zeros(7)
    for _ in range(5):
        w = np.mean([into_the_ball(w - 0.05 * gradient) for gradient in full_gradients(store, w)], 0)
    found = params_after(simulate(store, "fedmid", grid("fedmid", [0.05]), penalty=BALL), 5)
    np.testing.assert_allclose(found[0], w, atol=1e-10)


def test_feddualavg_in_a_set_with_one_full_step_is_the_lazy_projected_gradient_method(store):
    """From a start outside the set, which is first projected onto it."""
    z = into_the_ball(np.full(7, 0.9))
    for _ in range(5):
        z = z - 0.05 * full_gradients(store, into_the_ball(z)).mean(0)
    start = np.full(7, 0.9)
    found = params_after(simulate(store, "feddualavg", grid("feddualavg", [0.05]), penalty=BALL, start=start), 5)
    np.testing.assert_allclose(found[0], into_the_ball(z), atol=1e-10)
