"""The generated data sets have the laws that their papers state."""

import numpy as np
import pytest
from data.generated import pooled
from scipy.stats import norm

from fedatlas.data import catalogue
from fedatlas.errors import AtlasError

EVERY = [
    ("lasso", {"variant": "II"}),
    ("low_rank", {"variant": "II"}),
    ("penalised_logistic", {"variant": "strong"}),
    ("anisotropic_regression", {}),
    ("quadratic", {}),
    ("chain", {"links": 6}),
    ("mixture_of_linear_classifiers", {"variant": "paper", "clients": 30}),
    ("points_around", {"dimension": 4, "clients": 10, "examples": 50}),
]


def mean_and_error(values):
    return values.mean(), values.std() / np.sqrt(len(values))


@pytest.mark.parametrize(("name", "options"), EVERY)
def test_the_seed_alone_decides(name, options, tmp_path):
    one, again, other = (
        catalogue.build(name, options, seed, tmp_path, tmp_path / str(number)) for number, seed in enumerate((3, 3, 4))
    )
    assert one.sha256 == again.sha256
    if name not in ("quadratic", "chain"):
        assert not np.array_equal(one.read("train", 0)["x"], other.read("train", 0)["x"])
    one.verify()
    assert one.kind == "synthetic as in the paper"
    assert one.manifest["source"]["citation"]


# The sha256 of all that a store of seed 0 holds, computed by building it: clients, truth and options.
# They may never change: what is published names the store that it was computed on by this hash. That of `quadratic`,
# where nothing is random, is of the format alone.
GOLDEN = [
    ("quadratic", {}, "ee8ec47c2b2c208c295f94eb311dbee8c856b6a79517844f65d83bf5d44b6dd9"),
    ("mixture_of_linear_classifiers", {"variant": "paper", "clients": 5},
     "fdedfc3139e82dc115a1046bc7d176c91ba64d6d893caa82411ddc5d3c3710f2"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "options", "sha256"), GOLDEN)
def test_a_store_never_changes(name, options, sha256, tmp_path):
    assert catalogue.build(name, options, 0, tmp_path / "raw", tmp_path / "store").sha256 == sha256


# Sums of |x| of the first client and of |y| of the last one of seed 0, computed by building the stores that published
# runs used. Their products are a processor's, so that a hash could differ in the last digit.
SUMS = [
    ("lasso", {"variant": "III"}, 149678.133, 334.922753),
    ("low_rank", {"variant": "III"}, 149678.133, 231.415599),
    ("penalised_logistic", {"variant": "strong", "clients": 8}, 6484.77137, 161),
    ("penalised_logistic", {"variant": "mixed", "own": 25, "clients": 4}, 6484.77137, 140),
    ("anisotropic_regression", {}, 1159.67043, 54.9928873),
]


@pytest.mark.parametrize(("name", "options", "of_x", "of_y"), SUMS)
def test_what_a_law_draws_from_a_seed_never_changes(name, options, of_x, of_y, tmp_path):
    store = catalogue.build(name, options, 0, tmp_path / "raw", tmp_path / "store")
    first, last = store.read("train", 0), store.read("train", len(store.sizes("train")) - 1)
    assert np.abs(first["x"]).sum(dtype=float) == pytest.approx(of_x, rel=1e-6)
    assert np.abs(last["y"]).sum(dtype=float) == pytest.approx(of_y, rel=1e-6)


@pytest.mark.parametrize(
    ("variant", "clients", "examples", "rank"),
    [("I", 64, 128, 16), ("II", 64, 128, 4), ("III", 64, 128, 1), ("IV", 256, 32, 16)],
)
def test_low_rank_is_as_printed(made, variant, clients, examples, rank):
    store = made("low_rank", variant=variant)
    assert list(store.sizes("train")) == [examples] * clients
    assert list(store.sizes("validation")) == [128] * 16
    assert np.linalg.matrix_rank(store.truth["w_real"]) == rank
    assert np.trace(store.truth["w_real"]) == rank


@pytest.mark.parametrize(
    ("variant", "clients", "examples", "nonzero"),
    [("I", 64, 128, 512), ("II", 64, 128, 64), ("III", 64, 128, 8), ("IV", 256, 32, 512)],
)
def test_lasso_is_as_printed(made, variant, clients, examples, nonzero):
    store = made("lasso", variant=variant)
    assert list(store.sizes("train")) == [examples] * clients
    assert list(store.sizes("validation")) == [128] * 16
    np.testing.assert_array_equal(store.truth["w_real"], [1.0] * nonzero + [0.0] * (1024 - nonzero))


@pytest.mark.parametrize("name", ["low_rank", "lasso"])
def test_shifted_targets_are_linear_with_unit_noise(made, name):
    store = made(name, variant="I")
    x, y, client = pooled(store)
    noise = y - x.reshape(len(y), -1) @ store.truth["w_real"].ravel() - store.truth["b_real"]
    mean, error = mean_and_error(noise)
    assert abs(mean) < 4 * error
    assert noise.std() == pytest.approx(1, abs=0.03)
    means = np.stack([x[client == m].mean(0) for m in range(64)])
    assert means.std() == pytest.approx(np.sqrt(1 + 1 / 128), abs=0.01)
    assert (x - means[client]).std() == pytest.approx(1, abs=0.01)


def test_weak_labels_are_fair_coins_and_the_last_feature_is_constant(made):
    x, y, _ = pooled(made("penalised_logistic", variant="weak"))
    assert x.shape == (40000, 20)
    assert (x[:, -1] == 1).all()
    assert x[:, :-1].std() == pytest.approx(1, abs=0.01)
    assert y.mean() == pytest.approx(0.5, abs=4 * 0.5 / 200)
    correlation = (2 * y - 1) @ x[:, :-1] / len(y)
    assert np.abs(correlation).max() < 5 / 200


def test_strong_labels_are_signs_of_a_model_of_ones_own(made):
    store = made("penalised_logistic", variant="strong")
    x, y, client = pooled(store)
    models = store.truth["models"]
    assert np.abs(models).max() <= 10
    assert models.std() == pytest.approx(20 / np.sqrt(12), rel=0.05)
    values = np.einsum("nd,nd->n", x, models[client])
    # P(sign turns | value) = Phi(-|value|) with noise of deviation 1
    assert (y != (values > 0)).sum() == pytest.approx(norm.sf(np.abs(values)).sum(), rel=0.25)
    foreign = np.einsum("nd,nd->n", x, models[(client + 1) % 100])
    assert (y == (foreign > 0)).mean() < 0.65


def test_mixed_clients_share_all_but_their_own_examples(made):
    store = made("penalised_logistic", variant="mixed", own=40, clients=5)
    strong = made("penalised_logistic", variant="strong", clients=5)
    alike = made("penalised_logistic", variant="mixed", own=0, clients=5)
    first = strong.read("train", 0)
    for client in range(5):
        mixed, whole, same = (s.read("train", client) for s in (store, strong, alike))
        for key in "xy":
            np.testing.assert_array_equal(mixed[key][:360], first[key][:360])
            np.testing.assert_array_equal(mixed[key][360:], whole[key][360:])
            np.testing.assert_array_equal(same[key], first[key])
    # at x = 0 a gradient is -mean(b a) / 2: the shared examples cancel in the difference of two of them
    slopes = [((1 - 2 * d["y"][:, None]) * d["x"] / 2) for d in (store.read("train", i) for i in (1, 2))]
    whole, own = (
        np.linalg.norm(slopes[0][part].mean(0) - slopes[1][part].mean(0)) for part in (slice(0, 400), slice(360, 400))
    )
    assert whole == pytest.approx(own * 40 / 400, rel=1e-5)


@pytest.mark.parametrize(
    "options", [{"variant": "mixed"}, {"variant": "strong", "own": 40}, {"variant": "mixed", "own": 401}]
)
def test_own_examples_belong_to_mixed_clients(options):
    with pytest.raises(AtlasError, match="own"):
        catalogue.dataset_id("penalised_logistic", options, 0)


def test_strong_code_turns_labels_by_the_programs_rule(made):
    store = made("penalised_logistic", variant="strong-code")
    x, y, client = pooled(store)
    values = np.einsum("nd,nd->n", x, store.truth["models"][client])
    # a positive value stays 1 if the threshold t is below 1 (a mark of 1 is not turned again) and below the value
    top = values.max()
    expected = np.where(values > 0, norm.cdf(np.minimum(values, 1) / top), 1 - norm.cdf(-values / top))
    assert y.mean() == pytest.approx(expected.mean(), abs=0.012)
    assert set(np.unique(y)) == {0, 1}


def test_anisotropic_features_decay_and_targets_are_exact(made):
    store = made("anisotropic_regression")
    x, y, client = pooled(store)
    assert x.shape == (600, 1000)
    assert list(store.sizes("train")) == [30] * 20
    # log-variances against log k: slope -1.1
    slope = np.polyfit(np.log(np.arange(1, 1001)), np.log(x.astype(float).var(0)), 1)[0]
    assert slope == pytest.approx(-1.1, abs=0.02)
    models = store.truth["models"]
    np.testing.assert_allclose(y, np.einsum("nd,nd->n", x, models[client]), atol=1e-4)
    assert (models - models.mean(1, keepdims=True)).std() == pytest.approx(1, abs=0.03)
    many = np.concatenate([made("anisotropic_regression", seed=s).truth["models"].mean(1) for s in range(12)])
    assert many.std() == pytest.approx(np.sqrt(0.1**2 + 1 / 1000), rel=0.2)


def test_points_lie_around_directions_whose_mean_is_outside_the_ball(made):
    store = made("points_around", dimension=4, clients=10, examples=50)
    x, _, client = pooled(store)
    means = np.stack([x[client == m].mean(0) for m in range(10)])
    np.testing.assert_allclose(np.linalg.norm(means, axis=1), 2, rtol=0, atol=4 * 0.3 / np.sqrt(50))
    assert (x - means[client]).std() == pytest.approx(0.3, rel=0.1)
    mean = x.astype(float).mean(0)
    assert np.linalg.norm(mean) > 1
    np.testing.assert_allclose(store.truth["optimum"], mean / np.linalg.norm(mean), rtol=1e-6)


def test_quadratic_cancels(made):
    x, y, _ = pooled(made("quadratic"))
    assert x.ravel().tolist() == [1, -1]
    assert y.tolist() == [0, 0]


def test_the_clients_of_a_chain_have_every_other_link(made):
    x, _, client = pooled(made("chain", links=6))
    assert x.argmax(1).tolist() == [0, 2, 4, 1, 3, 5] and x.sum() == 6
    assert client.tolist() == [0, 0, 0, 1, 1, 1]


def test_unknown_variants_are_one_sentence():
    with pytest.raises(AtlasError, match="'variant' is 'V'"):
        catalogue.choose("low_rank", {"variant": "V"})


def test_anisotropic_regression_has_the_dimension_that_one_asks_for(made):
    """More than the 600 equations, so that every client's targets can be met."""
    store = made("anisotropic_regression", dimension=700)
    assert store.features["x"].shape == (700,)
    np.testing.assert_allclose(store.truth["variances"], np.arange(1, 701) ** -1.1)
    x, y, client = pooled(store)
    np.testing.assert_allclose(np.einsum("nd,nd->n", x, store.truth["models"][client]), y, rtol=0, atol=1e-4)
    with pytest.raises(AtlasError, match="above 600"):
        made("anisotropic_regression", dimension=600)
