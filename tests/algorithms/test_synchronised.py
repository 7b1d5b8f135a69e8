"""Exact tests of algorithms that change all clients' states after every round: Clustered FL and D-FedEM."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

tf = pytest.importorskip("tensorflow")

from algorithms.quadratics import SIZES, START, gradients
from algorithms.rounds import followed
from algorithms.states import of_clients, place
from simulating import params_after, simulate, write_regression

from fedatlas.algorithms._clustering import bisected, cosine_distances, second_half
from fedatlas.data.store import Feature, write_store
from fedatlas.federated.batches import LocalWork

EPOCH = LocalWork(batch_size=3, epochs=1)


# ------------------------------------------------------------------------------------------- complete linkage


def halves_of_scipy(distances):
    """Which points are not with the first, by scipy's complete linkage into two clusters."""
    tree = hierarchy.linkage(squareform(distances, checks=False), "complete")
    labels = hierarchy.cut_tree(tree, n_clusters=2).ravel()
    return labels != labels[0]


def random_distances(rng, number):
    points = rng.normal(size=(number, 5))
    return cosine_distances(tf.constant(points)).numpy()


def test_cosine_distances():
    updates = np.array([[1.0, 0], [0, 2], [-3, 0], [1, 1], [0, 0]])
    expected = np.array([[0, 1, 2, 1 - 0.5**0.5], [1, 0, 1, 1 - 0.5**0.5], [2, 1, 0, 1 + 0.5**0.5]])
    found = cosine_distances(tf.constant(updates)).numpy()
    np.testing.assert_allclose(found[:3, :4], expected, atol=1e-15)
    np.testing.assert_allclose(found[4], 1)


@pytest.mark.parametrize("number", [2, 3, 5, 12, 40])
def test_halves_are_those_of_scipy(number):
    rng = np.random.default_rng(number)
    for _ in range(5):
        distances = random_distances(rng, number)
        everyone = tf.ones(number, tf.bool)
        np.testing.assert_array_equal(second_half(tf.constant(distances), everyone), halves_of_scipy(distances))


def test_clusters_are_split_by_themselves_and_named_by_clients():
    """Two of three clusters, of scattered clients."""
    rng = np.random.default_rng(0)
    clusters = np.array([0, 1, 0, 3, 1, 0, 3, 1, 0, 3, 1, 1])
    distances, divided = random_distances(rng, 12), np.isin(np.arange(12), [0, 1])
    expected = clusters.copy()
    for name in (0, 1):
        members = np.flatnonzero(clusters == name)
        second = members[halves_of_scipy(distances[np.ix_(members, members)])]
        expected[second] = second[0]
    found = bisected(tf.constant(clusters, tf.int32), tf.constant(distances), tf.constant(divided)).numpy()
    np.testing.assert_array_equal(found, expected)
    assert len(set(found)) == 5 and all(found[name] == name for name in found)


# ------------------------------------------------------------------------------------------------ Clustered FL


def clustered(client_lr, tol1, tol2):
    return {"client_lr": client_lr, "tol1": tol1, "tol2": tol2}


def test_clustered_fl_that_never_splits_is_fedavg(four):
    """T19: with tol1 = 0, or with a tol2 that no update exceeds."""
    rates = [0.01, 0.03]
    options = {"work": EPOCH, "start": START, "weighting": "examples"}
    simulation = simulate(four, "clustered_fl", clustered(rates, [0.0, 1e9], [0.0, 1e9]), **options)
    expected = params_after(simulate(four, "fedavg", {"client_lr": rates, "server_lr": [1.0, 1.0]}, **options), 4)
    np.testing.assert_allclose(params_after(simulation, 4), expected, rtol=0, atol=1e-14)
    for g in range(2):
        params, _, cluster, examples = of_clients(simulation, g)
        np.testing.assert_allclose(params, np.tile(expected[g], (4, 1)), rtol=0, atol=1e-14)
        np.testing.assert_array_equal(cluster, 0)
        np.testing.assert_array_equal(examples.ravel(), SIZES)


def test_the_model_of_one_cluster_is_the_one_that_is_reported(four):
    """A cluster's models are averaged by the clients' sizes, however updates are weighted."""
    simulation = simulate(four, "clustered_fl", clustered([0.03], [0.0], [0.0]), work=EPOCH, weighting="uniform")
    reported = params_after(simulation, 2)
    np.testing.assert_allclose(of_clients(simulation)[0], np.tile(reported, (4, 1)), rtol=0, atol=1e-14)


def test_two_clients_are_never_split(tmp_path):
    """T19: though the bounds ask for it in every round."""
    store = write_regression(tmp_path / "two", [5, 8])
    simulation = simulate(store, "clustered_fl", clustered([0.03], [1e9], [0.0]))
    params_after(simulation, 3)
    np.testing.assert_array_equal(of_clients(simulation)[2], 0)
    np.testing.assert_array_equal(simulation.measure().metrics["clusters"], 1)


def test_a_round_of_clustered_fl_by_hand(four):
    """Norms of the mean and of the largest update just within and just without the bounds, and the split."""
    rate = 0.02
    updates = -rate * gradients(four, START)
    mean, most = np.linalg.norm(updates.mean(0)), np.linalg.norm(updates, axis=1).max()
    tol1, tol2 = mean * np.array([1.01, 0.99, 1.01]), most * np.array([0.99, 0.99, 1.01])
    simulation = simulate(four, "clustered_fl", clustered([rate] * 3, tol1, tol2), start=START)
    simulation.advance()
    second = halves_of_scipy(cosine_distances(tf.constant(updates)).numpy())
    split = np.where(second, np.argmax(second), 0)
    for g, expected in enumerate((split, np.zeros(4), np.zeros(4))):
        params, _, cluster, _ = of_clients(simulation, g)
        np.testing.assert_array_equal(cluster.ravel(), expected)
        for name in set(expected):
            inside = expected == name
            model = np.average(START + updates[inside], axis=0, weights=np.array(SIZES)[inside])
            np.testing.assert_allclose(params[inside], np.tile(model, (inside.sum(), 1)), rtol=0, atol=1e-14)
    np.testing.assert_array_equal(simulation.measure().metrics["clusters"], [2, 1, 1])


def test_the_programs_second_bound_is_on_the_largest_entry(four):
    """Just within it and just without; the norm of that update is larger, so that the paper's rule splits both."""
    rate = 0.02
    updates = -rate * gradients(four, START)
    most = np.abs(updates).max()
    assert np.linalg.norm(updates, axis=1).max() > 1.01 * most
    for algorithm, expected in (("clustered_fl_largest", [2, 1]), ("clustered_fl", [2, 2])):
        bounds = clustered([rate] * 2, [1e9] * 2, most * np.array([0.99, 1.01]))
        simulation = simulate(four, algorithm, bounds, start=START)
        simulation.advance()
        np.testing.assert_array_equal(simulation.measure().metrics["clusters"], expected)


@pytest.fixture(scope="module")
def opposed(tmp_path_factory):
    """Nine clients of three kinds of linear regression: w, -w and another v, in turn."""
    rng = np.random.default_rng(2)
    truths = np.array([[2.0, -1, 0, 1], [-2, 1, 0, -1], [1, 2, 3, 0]])

    def client(number):
        x = rng.normal(size=(20, 4))
        return {"x": x, "y": x @ truths[number % 3]}

    return write_store(
        tmp_path_factory.mktemp("opposed") / "store",
        name="opposed",
        options={},
        seed=2,
        kind="synthetic as in the paper",
        features=[Feature("x", "float64", (4,)), Feature("y", "float64", ())],
        splits={"train": [(str(number), client(number)) for number in range(9)]},
    )


def test_clustered_fl_finds_the_kinds_of_clients(opposed):
    """The second split is of a cluster whose clients are not the first ones: their own numbers count."""
    simulation = simulate(opposed, "clustered_fl", clustered([0.1], [0.05], [0.1]))
    models, _ = followed(simulation, 250)
    params, _, cluster, _ = of_clients(simulation)
    np.testing.assert_array_equal(cluster.ravel(), np.tile([0, 1, 2], 3))
    truths = np.array([[2.0, -1, 0, 1, 0], [-2, 1, 0, -1, 0], [1, 2, 3, 0, 0]])
    np.testing.assert_allclose(params, np.tile(truths, (3, 1)), atol=1e-6)
    np.testing.assert_allclose(models[-1, 0], params.mean(0), atol=1e-12)  # the reported one
    np.testing.assert_allclose(simulation.evaluate_own(["train"])["train", "loss"], 0, atol=1e-10)


# ----------------------------------------------------------------------------------------------------- D-FedEM

LOGISTIC = {"name": "binary_logistic", "nonzero_above": 0.01, "spread": 1.0, "components": 3}


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    rng = np.random.default_rng(0)
    theta = rng.normal(size=(2, 4)) * 3

    def client(share):
        x = rng.normal(size=(15, 4))
        z = (rng.random(15) < share).astype(int)
        return {"x": x, "y": (np.einsum("nd,nd->n", x, theta[z]) > 0).astype(np.int32)}

    return write_store(
        tmp_path_factory.mktemp("classes") / "store",
        name="mixed",
        options={},
        seed=0,
        kind="synthetic as in the paper",
        features=[Feature("x", "float64", (4,)), Feature("y", "int32", ())],
        splits={"train": [(str(i), client(share)) for i, share in enumerate((0.1, 0.9, 0.5, 0.3))]},
        num_classes=2,
    )


def mixture(store, algorithm, graph=None, **constants):
    values = {"client_lr": [0.2, 0.5]} | {name: [value] * 2 for name, value in constants.items()}
    return simulate(store, algorithm, values, problem=LOGISTIC, graph=graph, work=LocalWork(batch_size=4, epochs=1))


def test_d_fedem_of_neighbours_of_all_is_fedem(classes):
    """T17, with equal numbers of examples."""
    decentralised = mixture(classes, "d_fedem", np.full((4, 4), 1 / 4))
    fedem = mixture(classes, "fedem", stale=0.0)
    expected = params_after(fedem, 4)
    np.testing.assert_allclose(params_after(decentralised, 4), expected, rtol=0, atol=1e-12)
    for g in range(2):
        theta, weights = of_clients(decentralised, g)
        np.testing.assert_allclose(theta, np.tile(expected[g, :-3], (4, 1)), rtol=0, atol=1e-12)
        np.testing.assert_allclose(weights, of_clients(fedem, g)[0], rtol=0, atol=1e-12)
    for name in ("loss", "weight_2"):
        found, wanted = (simulation.evaluate_own(["train"])["train", name] for simulation in (decentralised, fedem))
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


def test_d_fedem_mixes_what_each_client_trained_alone(classes):
    """The components only, and not the weights pi; along the columns of W."""
    graph = np.array([[0.6, 0.4, 0, 0], [0.4, 0.3, 0.3, 0], [0, 0.3, 0.2, 0.5], [0, 0, 0.5, 0.5]])
    alone, together = mixture(classes, "d_fedem", np.eye(4)), mixture(classes, "d_fedem", graph)
    rng = np.random.default_rng(3)
    theta, weights = rng.normal(size=(4, 15)), rng.dirichlet(np.ones(3), size=4)
    for simulation in (alone, together):
        place(simulation, [simulation.measure().params[0]], [theta, weights])
        simulation.advance()
    trained, pi = of_clients(alone, 1)
    mixed, same = of_clients(together, 1)
    np.testing.assert_allclose(mixed, graph.T @ trained, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(same, pi)
    np.testing.assert_allclose(together.measure().params[1, :-3], trained.mean(0), rtol=0, atol=1e-13)
    assert np.abs(trained - theta).max() > 1e-2
