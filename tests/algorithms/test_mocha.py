"""MOCHA: a round by hand, its duality gap, who is related, and that one client has a support vector machine."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg
from sklearn.svm import LinearSVC

tf = pytest.importorskip("tensorflow")

from algorithms.states import of_clients, of_server, place
from simulating import params_after, simulate

from fedatlas.data.store import Feature, write_store
from fedatlas.errors import AtlasError
from fedatlas.federated.batches import LocalWork

SIZES = [14, 9, 12]
PASS = LocalWork(batch_size=1, epochs=1)
NEVER = 1e6  # rounds


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Three linear classifiers with wrong labels here and there; the first two are alike, the third is the opposite."""
    rng = np.random.default_rng(5)
    truths = np.array([[2.0, -1, 1], [1.5, -1, 1], [-2, 1, -1]])

    def client(size, truth):
        x = rng.normal(size=(size, 3))
        return {"x": x, "y": (x @ truth + rng.normal(size=size) > 0).astype(np.int32)}

    return write_store(
        tmp_path_factory.mktemp("mocha") / "store",
        name="margins",
        options={},
        seed=5,
        kind="synthetic as in the paper",
        features=[Feature("x", "float64", (3,)), Feature("y", "int32", ())],
        splits={"train": [(str(i), client(*pair)) for i, pair in enumerate(zip(SIZES, truths, strict=True))]},
        num_classes=2,
    )


def signed(store, client):
    """y (x, 1), [n, d]."""
    data = store.read("train", client)
    return (2 * data["y"] - 1)[:, None] * np.column_stack([data["x"], np.ones(len(data["y"]))])


def mocha(store, strength, period=NEVER, **options):
    values = {"strength": strength, "period": [period] * len(strength)}
    return simulate(store, "mocha", values, problem={"name": "hinge"}, work=PASS, **options)


def gap(store, params, duals, relation, strength):
    """The primal objective less the dual one; params [T, d], duals [T, N]."""
    primal = strength / 2 * np.trace(params.T @ np.linalg.solve(relation, params))
    sums, dual = [], 0.0
    for client, size in enumerate(SIZES):
        z, own = signed(store, client), duals[client, :size]
        assert own.min() >= 0 and own.max() <= 1
        primal += np.maximum(1 - z @ params[client], 0).mean()
        dual += own.mean()
        sums.append(own @ z / size)
    dual -= np.trace(np.transpose(sums) @ relation @ sums) / (2 * strength)
    return primal - dual


def couple(simulation, relation, params, sums, duals):
    """Gives the server this Sigma, and the clients what belongs to it."""
    rho = (np.abs(relation).sum(1) / np.diag(relation)).max()
    own = np.diag(relation)[:, None]
    server = simulation.state.server
    shape = server.relation.shape
    simulation.state = simulation.state._replace(server=server._replace(relation=np.zeros((shape[0], 1, 1))))
    place(simulation, [params.mean(0), np.zeros(1), rho, 0.0], [params, sums, duals, own])
    server = simulation.state.server._replace(relation=np.broadcast_to(relation, shape))
    simulation.state = simulation.state._replace(server=server)


RELATED = np.array([[0.4, 0.3, -0.1], [0.3, 0.35, -0.15], [-0.1, -0.15, 0.25]])


@pytest.mark.parametrize("relation", [np.eye(3) / 3, RELATED], ids=["nobody related", "related"])
def test_the_duality_gap_falls_to_nothing(store, relation):
    """While Sigma stays what it is."""
    strength, zeros = [0.1, 0.02], np.zeros((3, 4))
    simulation = mocha(store, strength)
    couple(simulation, relation, zeros, zeros, np.zeros((3, max(SIZES))))
    worst = 1.0
    for _ in range(2000):
        simulation.advance()
        gaps = [
            gap(store, of_clients(simulation, g)[0], of_clients(simulation, g)[2], relation, strength[g])
            for g in (0, 1)
        ]
        assert min(gaps) > -1e-12
        worst = max(gaps)
        if worst < 1e-10:
            break
    assert worst < 1e-10
    np.testing.assert_array_equal(np.asarray(simulation.state.server.relation)[1], relation)


def test_one_client_has_a_support_vector_machine(tmp_path, store):
    data = store.read("train", 0)
    alone = write_store(
        tmp_path / "alone",
        name="margins",
        options={},
        seed=5,
        kind="synthetic as in the paper",
        features=[Feature("x", "float64", (3,)), Feature("y", "int32", ())],
        splits={"train": [("0", data)]},
        num_classes=2,
    )
    strength = 0.05
    found = params_after(mocha(alone, [strength], period=3.0), 400)[0]
    machine = LinearSVC(
        loss="hinge", C=1 / (strength * SIZES[0]), fit_intercept=False, tol=1e-9, max_iter=1000000, dual=True
    )
    machine.fit(np.column_stack([data["x"], np.ones(SIZES[0])]), data["y"])
    np.testing.assert_allclose(found, machine.coef_[0], atol=1e-6)


def related(params):
    """(W'W)^1/2 over its trace."""
    root = np.real(linalg.sqrtm(params @ params.T))
    return root / np.trace(root)


def test_a_round_by_hand(store):
    """One pass in an order that is to be found, from a state in the middle, and the new Sigma."""
    strength = 0.3
    rng = np.random.default_rng(0)
    relation = related(rng.normal(size=(3, 4)))
    duals = [rng.uniform(size=size) for size in SIZES]
    sums = np.array([own @ signed(store, t) / SIZES[t] for t, own in enumerate(duals)])
    params, rho = relation @ sums / strength, (np.abs(relation).sum(1) / np.diag(relation)).max()
    simulation = mocha(store, [strength], period=1.0)
    padded = np.zeros((3, max(SIZES)))
    for t, own in enumerate(duals):
        padded[t, : SIZES[t]] = own
    couple(simulation, relation, params, sums, padded)
    simulation.advance()
    found, new_sums, new_duals, own = of_clients(simulation)
    for t, size in enumerate(SIZES):
        z = signed(store, t)
        np.testing.assert_allclose(new_sums[t], new_duals[t, :size] @ z / size, atol=1e-13)
        np.testing.assert_array_equal(new_duals[t, size:], 0)
        assert best_order(z, duals[t], new_duals[t, :size], params[t], relation[t, t] * rho / strength)
    assert np.abs(new_sums - sums).max() > 1e-3
    expected = related(relation @ new_sums / strength)
    np.testing.assert_allclose(np.asarray(simulation.state.server.relation)[0], expected, atol=1e-7)
    np.testing.assert_allclose(found, expected @ new_sums / strength, atol=1e-5)
    np.testing.assert_allclose(own.ravel(), np.diag(expected), atol=1e-7)
    np.testing.assert_allclose(of_server(simulation)[2], (np.abs(expected).sum(1) / np.diag(expected)).max(), atol=1e-5)


def best_order(z, before, after, w, spread):
    """Whether there is an order of the examples in which coordinate ascent leads from the duals before to those after.

    It is found example by example: the next is one whose exact step along its coordinate gives what it has after.
    """
    n, change, left = len(z), np.zeros(z.shape[1]), set(range(len(z)))

    def search(change, left):
        if not left:
            return True
        for i in sorted(left):
            step = n * (1 - z[i] @ (w + spread * change)) / (spread * z[i] @ z[i])
            if abs(np.clip(before[i] + step, 0, 1) - after[i]) < 1e-10 and search(
                change + (after[i] - before[i]) * z[i] / n, left - {i}
            ):
                return True
        return False

    return search(change, left)


def test_who_is_alike_is_found_to_be(store):
    """Sigma learned: the first two clients go together, the third against them."""
    simulation = mocha(store, [0.02], period=1.0)
    params_after(simulation, 30)
    relation = np.asarray(simulation.state.server.relation)[0]
    np.testing.assert_allclose(np.trace(relation), 1, atol=1e-12)
    assert relation[0, 1] > 0 > max(relation[0, 2], relation[1, 2])


def test_a_step_takes_one_example(store):
    with pytest.raises(AtlasError, match="^MOCHA takes one example in a local step, not 4: set 'batch_size' to 1"):
        simulate(
            store, "mocha", {"strength": [1.0], "period": [1.0]}, problem={"name": "hinge"}, work=LocalWork(4, epochs=1)
        ).advance()


OTHERS = [
    {"name": "hinge", "smoothing": 1.0},
    {"name": "hinge", "mu": 0.1},
    {"name": "multinomial_logistic", "mu": 0.1},
]


@pytest.mark.parametrize("problem", OTHERS)
def test_its_steps_are_those_of_the_hinge_loss_alone(store, problem):
    values = {"strength": [1.0], "period": [1.0]}
    with pytest.raises(AtlasError, match="hinge loss alone: take the problem 'hinge' without 'mu' and 'sm"):
        simulate(store, "mocha", values, problem=problem, work=PASS).advance()
