"""What holds for every penalty: its prox solves the problem that defines it."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from fedatlas.problems.blocks import Block, OnKernels
from fedatlas.prox import penalties

BLOCKS = [Block("kernel", (4,), True), Block("bias", (2,), False)]
CASES = {
    "zero": penalties["zero"](),
    "l1": penalties["l1"](strength=0.7),
    "l2_squared": penalties["l2_squared"](strength=0.7),
    "l1 on kernels": OnKernels(penalties["l1"](strength=0.7), BLOCKS),
}
# The proximal operator of the conjugate psi*/t with parameter 1/t, in closed form, at v/t (Moreau's identity).
CONJUGATES = {
    "zero": lambda v, t: np.zeros_like(v),
    "l1": lambda v, t: np.clip(v / t, -0.7, 0.7),
    "l2_squared": lambda v, t: v / t / (1 + 1 / (0.7 * t)),
    "l1 on kernels": lambda v, t: np.concatenate([np.clip(v[..., :4] / t, -0.7, 0.7), 0 * v[..., 4:]], -1),
}
STEPS = np.array([0.01, 0.3, 1.0, 5.0])[:, None, None]


@pytest.fixture
def points():
    return 2 * np.random.default_rng(0).normal(size=(2, 4, 200, 6))


def test_every_penalty_is_tested():
    assert set(penalties) <= set(CASES)


@pytest.mark.parametrize("case", CASES)
def test_three_point_inequality(points, case):
    """p = prox(v) minimises 1/2 ||u - v||^2 + t psi(u), and by its strong convexity by 1/2 ||u - p||^2 everywhere."""
    penalty, (v, u) = CASES[case], points
    p = penalty.prox(tf.constant(v), STEPS).numpy()

    def value(w):
        return 0.5 * ((w - v) ** 2).sum(-1) + STEPS[..., 0] * penalty.value(tf.constant(w)).numpy()

    assert np.all(value(u) >= value(p) + 0.5 * ((u - p) ** 2).sum(-1) - 1e-10)


@pytest.mark.parametrize("case", CASES)
def test_firmly_non_expansive(points, case):
    p, q = (CASES[case].prox(tf.constant(v), STEPS).numpy() for v in points)
    v, u = points
    assert np.all(((p - q) ** 2).sum(-1) <= ((p - q) * (v - u)).sum(-1) + 1e-10)


@pytest.mark.parametrize("case", CASES)
def test_moreau_identity(points, case):
    v = points[0]
    p = CASES[case].prox(tf.constant(v), STEPS).numpy()
    np.testing.assert_allclose(p + STEPS * CONJUGATES[case](v, STEPS), v, atol=1e-10)


@pytest.mark.parametrize("case", CASES)
def test_no_step_is_the_identity(points, case):
    np.testing.assert_array_equal(CASES[case].prox(tf.constant(points[0]), np.zeros((4, 1, 1))), points[0])


@pytest.mark.parametrize("case", CASES)
def test_subgradient_inequality(points, case):
    penalty, (w, u) = CASES[case], points
    subgradient = penalty.subgradient(tf.constant(w)).numpy()
    below = penalty.value(tf.constant(w)).numpy() + (subgradient * (u - w)).sum(-1)
    assert np.all(penalty.value(tf.constant(u)).numpy() >= below - 1e-10)


def test_l1_prox_is_soft_thresholding():
    found = penalties["l1"](strength=2.0).prox(tf.constant([3.0, -0.5, -1.5, 1.0]), tf.constant([0.5]))
    np.testing.assert_allclose(found, [2.0, 0.0, -0.5, 0.0])


def test_biases_are_neither_penalised_nor_shrunk():
    penalty, w = CASES["l1 on kernels"], tf.constant([[1.0, -2.0, 0.0, 3.0, 10.0, -10.0]])
    np.testing.assert_allclose(penalty.value(w), [0.7 * 6], rtol=1e-6)
    np.testing.assert_array_equal(penalty.prox(w, tf.constant([[100.0]]))[0], [0, 0, 0, 0, 10, -10])
