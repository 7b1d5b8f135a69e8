"""The mixture of linear classifiers has the law that FedEM states."""

import math

import numpy as np
import pytest
from data.generated import pooled

from fedatlas.errors import AtlasError


def test_mixture_sizes_are_lognormal_and_split_60_20_20(made):
    store = made("mixture_of_linear_classifiers", variant="paper")
    assert len(store.ids("train")) == 300
    sizes = np.stack([store.sizes(split) for split in ("train", "validation", "test")])
    total = sizes.sum(0)
    assert total.min() >= 50
    assert total.max() <= 1000
    # P(50 + lognormal(4, 2) >= 1000) = Phi((4 - log 950) / 2), the median is 50 + e^4
    assert np.median(total) == pytest.approx(50 + np.exp(4), rel=0.2)
    assert (total == 1000).mean() == pytest.approx(0.0766, abs=0.05)
    assert np.abs(sizes - np.outer((0.6, 0.2, 0.2), total)).max() < 1


def test_mixture_can_have_fresh_test_examples(made):
    """In place of the cut's own fifth; the other splits are as without them, for the first client."""
    cut, fresh = (
        made("mixture_of_linear_classifiers", variant="paper", clients=20, **options)
        for options in ({}, {"test_examples": 500})
    )
    assert list(fresh.sizes("test")) == [500] * 20
    for split in ("train", "validation"):
        np.testing.assert_array_equal(fresh.sizes(split), cut.sizes(split))
        np.testing.assert_array_equal(fresh.read(split, 0)["x"], cut.read(split, 0)["x"])
    with pytest.raises(AtlasError, match="always has 5000"):
        made("mixture_of_linear_classifiers", variant="code", clients=20, test_examples=500)
    with pytest.raises(AtlasError, match="'labelled' is of the clients that training never sees: give 'unseen' too"):
        made("mixture_of_linear_classifiers", variant="paper", clients=20, labelled=0.2)


def test_mixture_labels_follow_the_mixture(made):
    """P(y = 1 | x) of client t is sum_m pi_tm E sigmoid(<x, theta_m> + eps): calibration of the true law."""
    store = made("mixture_of_linear_classifiers", variant="paper")
    x, y, client = pooled(store)
    theta, pi = store.truth["theta"], store.truth["pi"]
    assert np.abs(theta).max() <= 1
    assert np.abs(x).max() <= 1
    assert x.var() == pytest.approx(1 / 3, rel=0.01)
    nodes, weights = np.polynomial.hermite_e.hermegauss(20)
    sigmoid = 1 / (1 + np.exp(-(x @ theta.T)[..., None] - nodes))
    chance = ((sigmoid @ weights / weights.sum()) * pi[client]).sum(1)
    assert (y - chance).mean() == pytest.approx(0, abs=4 * 0.5 / np.sqrt(len(y)))
    low, high = y[chance < 0.3].mean(), y[chance > 0.7].mean()
    assert low == pytest.approx(chance[chance < 0.3].mean(), abs=0.02)
    assert high == pytest.approx(chance[chance > 0.7].mean(), abs=0.02)
    # E sum_m pi_m^2 = (alpha + 1) / (M alpha + 1)
    assert (pi**2).sum(1).mean() == pytest.approx(1.4 / 2.2, abs=0.05)


def test_the_code_thresholds_its_labels_and_tests_on_fresh_examples(made):
    store = made("mixture_of_linear_classifiers", variant="code", mixture="one-hot", clients=3)
    assert list(store.sizes("test")) == [5000] * 3
    x, y, client = pooled(store, "test")
    own = store.truth["pi"].argmax(1)[client]
    assert (y == (np.einsum("nd,nd->n", x, store.truth["theta"][own]) > 0)).mean() > 0.98


def test_the_code_as_run_leaves_labels_that_no_component_reaches_at_zero(made):
    store = made("mixture_of_linear_classifiers", variant="code-as-run", clients=6)
    _, y, client = pooled(store, "test")
    reached = store.truth["pi"].max(1)
    for t in range(6):
        assert y[client == t].mean() == pytest.approx(reached[t] / 2, abs=0.03)


@pytest.mark.parametrize("components", [2, 3])
def test_one_hot_mixtures_are_clusters(made, components):
    store = made("mixture_of_linear_classifiers", variant="paper", mixture="one-hot", components=components)
    pi = store.truth["pi"]
    assert pi.shape == (300, components)
    assert set(np.unique(pi)) == {0, 1}
    assert (pi.sum(1) == 1).all()
    assert pi.mean(0) == pytest.approx(np.full(components, 1 / components), abs=0.1)


def test_a_fifth_of_the_clients_is_unseen(made):
    store = made("mixture_of_linear_classifiers", variant="paper", clients=50, unseen=0.2)
    seen, unseen = store.ids("train"), store.ids("unseen_test")
    assert (len(seen), len(unseen)) == (40, 10)
    assert sorted(map(int, seen + unseen)) == list(range(50))
    assert store.ids("unseen_train") == unseen


def test_unseen_clients_have_labels_of_their_first_examples(made):
    options = {"variant": "paper", "clients": 20, "unseen": 0.2}
    whole, part = (made("mixture_of_linear_classifiers", **options, **more) for more in ({}, {"labelled": 0.25}))
    for client, size in enumerate(whole.sizes("unseen_train")):
        kept = part.read("unseen_train", client)["y"]
        assert len(kept) == math.ceil(size / 4)
        np.testing.assert_array_equal(kept, whole.read("unseen_train", client)["y"][: len(kept)])
        np.testing.assert_array_equal(*(s.read("unseen_test", client)["x"] for s in (whole, part)))
    np.testing.assert_array_equal(whole.sizes("train"), part.sizes("train"))
    assert set(made("mixture_of_linear_classifiers", **options, labelled=0).sizes("unseen_train")) == {0}
