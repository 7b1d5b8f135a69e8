"""The deterministic optimum: FISTA by hand, certificates of optimality, and the centralised baseline in the limit."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("tensorflow")

from simulating import full_gradients, grid, params_after, simulate, soft, write_regression

SIZES = [8, 8, 8, 8]
STRENGTH = 0.2
L1 = {"name": "l1", "strength": STRENGTH}
NUCLEAR = {"name": "nuclear", "strength": STRENGTH}
MATRICES = {"name": "matrix_regression", "rank_above": 0.01}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return write_regression(tmp_path_factory.mktemp("stores") / "vectors", SIZES)


@pytest.fixture(scope="module")
def matrices(tmp_path_factory):
    return write_regression(tmp_path_factory.mktemp("stores") / "matrices", SIZES, shape=(4, 3))


def largest_step(store) -> float:
    """1/L for the mean of the losses of all clients, all of one size."""
    x = np.concatenate([store.read("train", client)["x"].reshape(8, -1) for client in range(len(SIZES))])
    x = np.column_stack([x, np.ones(len(x))])
    return 1 / (2 * np.linalg.eigvalsh(x.T @ x / len(x))[-1])


def fista(store, step, rounds):
    """Beck and Teboulle's iteration (4.1) to (4.3), restarted as by O'Donoghue and Candes; also how many restarts."""
    x = y = np.zeros(7)
    t, restarts = 1.0, 0
    for _ in range(rounds):
        last, x = x, soft(y - step * full_gradients(store, y).mean(0), step * STRENGTH)
        if (y - x) @ (x - last) > 0:
            y, t, restarts = x, 1.0, restarts + 1
        else:
            t_last, t = t, (1 + np.sqrt(1 + 4 * t**2)) / 2
            y = x + (t_last - 1) / t * (x - last)
    return x, restarts


def test_it_is_fista_with_restarts(store):
    step = largest_step(store)
    by_hand, restarts = fista(store, step, 40)
    assert restarts > 1
    found = params_after(simulate(store, "fista", grid("fista", [step]), penalty=L1), 40)
    np.testing.assert_allclose(found[0], by_hand, atol=1e-12)


def test_lasso_optimum_by_its_certificate(store):
    """The gradient is -strength * sign(w) where w is not zero, smaller than that elsewhere, and 0 at the bias."""
    simulation = simulate(store, "fista", grid("fista", [largest_step(store)]), penalty=L1)
    w = params_after(simulation, 300)[0]
    gradient, found = full_gradients(store, w).mean(0), w[:-1] != 0
    assert 0 < found.sum() < 6
    np.testing.assert_allclose(gradient[:-1][found], -STRENGTH * np.sign(w[:-1][found]), atol=1e-9)
    assert np.all(np.abs(gradient[:-1][~found]) < STRENGTH)
    np.testing.assert_allclose(gradient[-1], 0, atol=1e-9)


def test_low_rank_optimum_by_its_certificate(matrices):
    """-gradient / strength is U V' on the singular vectors of W, and of norm 1 or less beside them."""
    simulation = simulate(matrices, "fista", grid("fista", [largest_step(matrices)]), penalty=NUCLEAR, problem=MATRICES)
    w = params_after(simulation, 500)[0]
    certificate = -full_gradients(matrices, w).mean(0)[:-1].reshape(4, 3) / STRENGTH
    u, s, vt = np.linalg.svd(w[:-1].reshape(4, 3), full_matrices=False)
    rank = int((s > 1e-7).sum())
    assert 0 < rank < 3
    np.testing.assert_allclose(u[:, :rank].T @ certificate, vt[:rank], atol=1e-6)
    np.testing.assert_allclose(certificate @ vt[:rank].T, u[:, :rank], atol=1e-6)
    assert np.linalg.norm(certificate, 2) <= 1 + 1e-6


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_centralised_baseline_comes_to_the_same_objective_later(matrices, dtype):
    step = largest_step(matrices)

    def objectives(algorithm, rounds):
        options = {"penalty": NUCLEAR, "problem": MATRICES, "dtype": dtype}
        simulation = simulate(matrices, algorithm, grid(algorithm, [step]), **options)
        values = []
        for _ in range(len(rounds)):
            params_after(simulation, rounds[len(values)] - simulation.round)
            values.append(float(simulation.evaluate("train")["loss"][0] + simulation.measure().penalty[0]))
        return values

    (best,) = objectives("fista", [500])
    (early,) = objectives("fista", [60])
    middle, late = objectives("centralized", [60, 400])  # 300 rounds are within 4e-9 of the best
    assert abs(late - best) < 1e-6 * best
    assert best - 1e-6 * best < early < middle
