"""Where dense layers start: at zero, or as Keras' do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

tf = pytest.importorskip("tensorflow")

from fedatlas.problems import problems
from fedatlas.problems.base import Data

LAYERS = {
    "linear_regression": ((1024,), 1, {"nonzero_above": 0.01}),
    "matrix_regression": ((32, 32), 1, {"rank_above": 0.01}),
    "binary_logistic": ((1024,), 1, {"nonzero_above": 0.0001}),
    "multinomial_logistic": ((28, 28), 10, {}),
}


def layer(name, start, seed=3):
    """Kernel [outputs, inputs] and biases [outputs] at the start."""
    shape, outputs, options = LAYERS[name]
    problem = problems[name](data=Data(shape, outputs, {}), start=start, **options)
    matrix = problem.initial(seed).reshape(outputs, -1)
    return matrix[:, :-1], matrix[:, -1]


@pytest.mark.parametrize("name", LAYERS)
def test_glorot_is_the_law_of_keras(name):
    """Kolmogorov and Smirnov tell two laws of so many weights apart where they are a twentieth different."""
    kernel, biases = layer(name, "glorot")
    shape = kernel.shape[::-1]  # Keras' kernels are (inputs, outputs)
    keras = tf.keras.initializers.GlorotUniform(seed=1)(shape).numpy()
    assert not biases.any()
    assert stats.ks_2samp(kernel.ravel(), keras.ravel()).pvalue > 0.01
    assert np.abs(kernel).max() <= np.sqrt(6 / sum(shape))


@pytest.mark.parametrize("name", LAYERS)
def test_the_seed_decides_where_it_starts(name):
    (first, _), (again, _), (other, _) = (layer(name, "glorot", seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert (first != other).all()


@pytest.mark.parametrize("name", LAYERS)
def test_zero_is_zero(name):
    assert not any(part.any() for part in layer(name, "zero"))
