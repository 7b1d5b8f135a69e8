"""Least squares without an intercept, by hand."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from fedatlas.federated.objectives import Objective
from fedatlas.problems import problems
from fedatlas.problems.base import Batch, Data


def test_half_the_square_and_no_intercept():
    rng = np.random.default_rng(1)
    x, y, w = rng.normal(size=(2, 5, 3)), rng.normal(size=(2, 5)), rng.normal(size=(4, 2, 3))
    batch = Batch(*(tf.constant(a) for a in (x, y, np.ones((2, 5), bool))))
    chosen = problems["least_squares"](data=Data((3,), None, {}))
    assert chosen.num_params == 3
    residuals = np.einsum("cbd,gcd->gcb", x, w) - y
    np.testing.assert_allclose(chosen.losses(tf.constant(w), batch), residuals**2 / 2, rtol=1e-12)
    gradients = np.einsum("gcb,cbd->gcd", residuals, x) / 5
    np.testing.assert_allclose(Objective(chosen, batch).gradient(tf.constant(w)), gradients, rtol=1e-11)
