"""What holds for single penalties, by hand or against numpy."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from fedatlas.errors import AtlasError
from fedatlas.problems import Block, OnKernels
from fedatlas.prox import penalties
from fedatlas.prox._sums import total


def project_by_sorting(v, radius):
    """The projection onto the l1 ball by sorting (Duchi et al. 2008), in float64."""
    v = np.asarray(v, np.float64)
    if np.abs(v).sum() <= radius:
        return v
    if radius < 1e-15 * np.abs(v).max():
        return 0 * v
    sorted_ = np.sort(np.abs(v))[::-1]
    excess = np.cumsum(sorted_) - radius
    last = np.nonzero(sorted_ * np.arange(1, len(v) + 1) > excess)[0][-1]
    return np.sign(v) * np.maximum(np.abs(v) - excess[last] / (last + 1), 0)


def test_l1_prox_is_soft_thresholding():
    found = penalties["l1"](strength=2.0).prox(tf.constant([3.0, -0.5, -1.5, 1.0]), tf.constant([0.5]))
    np.testing.assert_allclose(found, [2.0, 0.0, -0.5, 0.0])


def test_biases_are_neither_penalised_nor_shrunk():
    penalty = OnKernels(penalties["l1"](strength=0.7), [Block("kernel", (4,), True), Block("bias", (2,), False)])
    w = tf.constant([[1.0, -2.0, 0.0, 3.0, 10.0, -10.0]])
    np.testing.assert_allclose(penalty.value(w), [0.7 * 6], rtol=1e-6)
    np.testing.assert_array_equal(penalty.prox(w, tf.constant([[100.0]]))[0], [0, 0, 0, 0, 10, -10])


def test_every_kernel_has_its_own_set_and_the_worst_is_reported():
    blocks = [Block("a", (2,), True), Block("bias", (1,), False), Block("b", (2,), True)]
    penalty, w = OnKernels(penalties["l1_ball"](radius=1.0), blocks), tf.constant([[0.5, 0.5, 99.0, 2.0, -1.0]])
    assert penalty.indicator
    np.testing.assert_allclose(penalty.violation(w), [2.0])
    np.testing.assert_allclose(penalty.prox(w, tf.constant([[1.0]])), [[0.5, 0.5, 99.0, 1.0, 0.0]])


@pytest.mark.parametrize(("shape", "matrix"), [((5,), (5, 1)), ((4, 3), (4, 3)), ((3, 3, 2, 8), (18, 8))])
def test_a_kernel_as_a_matrix(shape, matrix):
    assert Block("kernel", shape, True).matrix == matrix


def test_group_lasso_by_hand():
    penalty, v = penalties["group_lasso"](strength=2.0), tf.constant([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]], tf.float64)
    np.testing.assert_allclose(penalty.prox(v, np.array([[0.5]])), [[2.4, 3.2], [0, 0], [0, 0]], atol=1e-14)
    np.testing.assert_allclose(penalty.value(v), 11.0, rtol=1e-14)


def test_a_box_must_not_be_empty():
    with pytest.raises(AtlasError, match=r"'penalty.low' is 1, but must not be above 'penalty.high', 0"):
        penalties["box"](low=1, high=0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(32, 32), (7, 32), (32, 7)])
def test_nuclear_is_singular_value_thresholding(shape, dtype):
    rng = np.random.default_rng(0)
    v = (rng.normal(size=(5, *shape)) @ np.diag(np.logspace(0, -6, shape[1]))).astype(dtype)
    thresholds = np.array([1.0, 0.1, 3e-4, 1e-5, 0.0])
    u, s, vt = np.linalg.svd(v.astype(np.float64), full_matrices=False)
    expected = u * np.maximum(s - thresholds[:, None], 0)[:, None, :] @ vt
    penalty = penalties["nuclear"](strength=2.0)
    found = penalty.prox(tf.constant(v), tf.constant(thresholds[:, None, None] / 2, dtype)).numpy()
    # v is rounded in its dtype; its Gram matrix, of norm s_1^2, in float64, which moves a singular value near the
    # threshold t by eps s_1^2 / t.
    size, largest = max(shape), s[:, 0]
    of_gram = np.divide(largest**2, thresholds, out=np.zeros(5), where=thresholds > 0)
    bound = size * (np.finfo(dtype).eps * largest + np.finfo(float).eps * of_gram)
    assert np.all(np.abs(found - expected).max((1, 2)) <= bound)
    # The sum of roots: each is off by eps s_1 of its Gram matrix at most, in float64 by the root of that.
    rounding = np.finfo(dtype).eps * s.sum(-1) + size * np.sqrt(np.finfo(float).eps) * largest
    assert np.all(np.abs(penalty.value(tf.constant(v)) / 2 - s.sum(-1)) <= rounding)


def test_nuclear_subgradient_of_a_singular_matrix():
    w = tf.constant(np.diag([3.0, 2.0, 0.0]))
    np.testing.assert_allclose(penalties["nuclear"](strength=0.5).subgradient(w), np.diag([0.5, 0.5, 0]), atol=1e-12)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("radius", [1e-3, 1.0, 50.0, 1e4])
def test_l1_ball_against_sorting(dtype, radius, compiled):
    rng = np.random.default_rng(1)
    scales = np.array([1e-3, 0.1, 1.0, 1e3, 1e6])[:, None, None]
    v = (scales * rng.standard_t(2, size=(5, 3, 500))).astype(dtype)
    ball = penalties["l1_ball"](radius=radius)
    found = tf.function(lambda v: ball.prox(v, tf.ones([5, 3, 1])), jit_compile=compiled)(v).numpy()
    expected = np.array([[project_by_sorting(row, radius) for row in rows] for rows in v])
    eps = np.finfo(dtype).eps
    rounding = 20 * np.finfo(float).eps * np.abs(v).max(-1, keepdims=True).astype(float)  # of tau and of the oracle
    assert np.all(np.abs(found - expected) <= eps * np.abs(expected) + rounding)
    sums = np.abs(found.astype(float)).sum(-1)
    assert np.all(sums <= radius * (1 + 2 * eps) + 500 * rounding[..., 0])


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("v", "radius"),
    [
        (np.full(1000, 3.0), 1.0),
        (np.full(1000, 0.1), 1e-300),
        (np.repeat([2.0, 1.0, 0.0], 100), 100.0),
        (np.append(1e30, np.zeros(99)), 1.0),
        (2.0 ** -np.arange(400.0), 1e-3),
        (np.cumprod(np.linspace(1, 0.9, 300)), 0.0),
        (np.zeros(5), 0.0),
    ],
)
def test_l1_ball_on_ties_and_extremes(v, radius, compiled):
    ball = penalties["l1_ball"](radius=radius)
    found = tf.function(lambda v: ball.prox(v, tf.ones([1])), jit_compile=compiled)(tf.constant(v)).numpy()
    np.testing.assert_allclose(found, project_by_sorting(v, radius), rtol=1e-9, atol=1e-15 * np.abs(v).max())


def test_l1_ball_of_a_large_network_in_float32():
    """157 000 parameters: the float32 sum of their sizes alone would be off by more than the projection."""
    v = np.random.default_rng(2).standard_t(3, size=157_000).astype(np.float32)
    ball = penalties["l1_ball"](radius=1000.0)
    found = ball.prox(tf.constant(v[None]), tf.ones([1, 1])).numpy()[0]
    np.testing.assert_allclose(found, project_by_sorting(v, 1000.0), rtol=1.2e-7)
    assert ball.violation(tf.constant(found)) < 1e-7


@pytest.mark.parametrize("name", ["l1_ball", "l2_ball"])
def test_a_ball_without_extent(name):
    ball = penalties[name](radius=0.0)
    np.testing.assert_array_equal(ball.prox(tf.constant([1.0, -2.0]), tf.ones([1])), [0, 0])
    np.testing.assert_allclose(ball.violation(tf.constant([3.0, 0.0])), 3.0)


def test_box_violation_is_a_fraction_of_its_width():
    box = penalties["box"](low=-1.0, high=3.0)
    np.testing.assert_allclose(box.violation(tf.constant([[-3.0, 0.0], [5.0, 6.0], [0.0, 3.0]])), [0.5, 0.75, 0.0])


@pytest.mark.parametrize("name", ["l1", "nuclear", "group_lasso"])
def test_a_column_of_biases_is_free_and_changes_nothing(name):
    """A layer whose biases stand behind its kernel, against the kernel alone; stored with the outputs first."""
    penalty, v = penalties[name](strength=0.7), np.random.default_rng(0).normal(size=(4, 1, 3, 5))
    blocks = [Block("layer", (3, 5), True, bias_column=True)]
    step, kernel = np.full((4, 1, 1), 0.3), v[..., :-1]
    found = OnKernels(penalty, blocks).prox(tf.constant(v.reshape(4, 1, 15)), step).numpy().reshape(v.shape)
    alone = OnKernels(penalty, [Block("kernel", (4, 3), True)])
    flat = kernel.swapaxes(-1, -2).reshape(4, 1, 12)
    expected = alone.prox(tf.constant(flat), step).numpy().reshape(4, 1, 4, 3).swapaxes(-1, -2)
    np.testing.assert_allclose(found[..., :-1], expected, atol=1e-10)
    np.testing.assert_array_equal(found[..., -1], v[..., -1])
    value = OnKernels(penalty, blocks).value(tf.constant(v.reshape(4, 1, 15)))
    np.testing.assert_allclose(value, alone.value(tf.constant(flat)), rtol=1e-7)


@pytest.mark.parametrize("size", [1, 63, 64, 65, 1000, 7850])
def test_total_is_a_sum_in_double_precision(size):
    a = np.random.default_rng(0).random((2, 3, size)).astype(np.float32)
    found = total(tf.constant(a))
    assert found.dtype == tf.float64
    np.testing.assert_allclose(found, a.astype(float).sum(-1, keepdims=True), rtol=1e-14)
