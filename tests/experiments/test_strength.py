"""The strength of a penalty that the data gives."""

from __future__ import annotations

import numpy as np
import pytest

from fedatlas.data.store import Feature, write_store
from fedatlas.errors import AtlasError
from fedatlas.experiments.strength import largest_strength, resolved, rounded_down

SIZES = (4, 9, 7)


@pytest.fixture
def arrays():
    rng = np.random.default_rng(3)
    return [(rng.normal(size=(n, 5)).astype(np.float32), rng.integers(2, size=n).astype(np.int32)) for n in SIZES]


@pytest.fixture
def store(arrays, tmp_path):
    clients = [(str(i), {"x": x, "y": y}) for i, (x, y) in enumerate(arrays)]
    features = [Feature("x", "float32", (5,)), Feature("y", "int32", ())]
    return write_store(
        tmp_path / "store", name="s", options={}, seed=0, kind="stand-in", features=features, splits={"train": clients}
    )


def gradient(problem, x, y, w, b):
    """Of the pooled mean loss in the kernel, by hand."""
    z = x @ w + b
    error = 1 / (1 + np.exp(-z)) - y if problem == "binary_logistic" else 2 * (z - y)
    return x.T @ error / len(y)


@pytest.mark.parametrize("problem", ["binary_logistic", "linear_regression"])
def test_it_is_the_gradient_at_the_best_intercept(problem, arrays, store):
    x, y = (np.concatenate(parts) for parts in zip(*arrays, strict=True))
    mean = y.mean()
    b = np.log(mean / (1 - mean)) if problem == "binary_logistic" else mean
    expected = np.abs(gradient(problem, x, y, np.zeros(5), b)).max()
    assert largest_strength(problem, store) == pytest.approx(expected, rel=1e-6)


def test_a_share_of_it_is_rounded_down(store):
    largest = largest_strength("binary_logistic", store)
    options, found = resolved("binary_logistic", {"strength": {"times_max": 0.1}}, store)
    assert options == {"strength": rounded_down(0.1 * largest)}
    assert found == {"times_max": 0.1, "largest": largest}


def test_labels_that_no_input_explains_have_no_largest_strength(tmp_path):
    alike = {"x": np.ones((3, 2)), "y": np.zeros(3)}
    features = [Feature("x", "float64", (2,)), Feature("y", "float64", ())]
    store = write_store(
        tmp_path / "alike", name="alike", options={}, seed=0, kind="synthetic as in the paper", features=features,
        splits={"train": [("0", alike)]},
    )  # fmt: skip
    with pytest.raises(AtlasError, match="'problem.penalty.strength' needs a number"):
        resolved("linear_regression", {"strength": {"times_max": 0.1}}, store)


def test_a_number_stays_as_it_is(store):
    assert resolved("binary_logistic", {"strength": 0.4}, store) == ({"strength": 0.4}, {})


@pytest.mark.parametrize(
    ("value", "expected"), [(0.042, 0.03), (0.03, 0.03), (0.0299, 0.01), (0.3, 0.3), (1, 1), (9.9, 3), (2e-5, 1e-5)]
)
def test_rounding_down(value, expected):
    assert rounded_down(value) == expected
