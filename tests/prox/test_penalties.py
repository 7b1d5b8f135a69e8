"""What holds for every penalty: its prox solves the problem that defines it; for every set: its prox projects."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from fedatlas.problems import Block, OnKernels
from fedatlas.prox import penalties

BLOCKS = [Block("kernel", (2, 2), True), Block("bias", (2,), False)]
PENALTIES = {
    "zero": penalties["zero"](),
    "l1": penalties["l1"](strength=0.7),
    "l2_squared": penalties["l2_squared"](strength=0.7),
    "nuclear": penalties["nuclear"](strength=0.7),
    "group_lasso": penalties["group_lasso"](strength=0.7),
}
SETS = {
    "l1_ball": penalties["l1_ball"](radius=1.5),
    "l2_ball": penalties["l2_ball"](radius=1.5),
    "box": penalties["box"](low=-0.5, high=1.0),
}
ON_KERNELS = {name: OnKernels(penalties[name](strength=0.7), BLOCKS) for name in ("l1", "nuclear")}
CASES = PENALTIES | SETS | {f"{name} on kernels": penalty for name, penalty in ON_KERNELS.items()}
FINITE = [name for name, penalty in CASES.items() if not penalty.indicator]
STEPS = np.array([0.01, 0.3, 1.0, 5.0]).reshape(4, 1, 1)


def points(penalty, number=2):
    """Random points [number, 4, 200, ...]; matrices are 3 by 2."""
    shape = (6,) if penalty.axes == 1 else (3, 2)
    return 2 * np.random.default_rng(0).normal(size=(number, 4, 200, *shape))


def prox(penalty, v, steps=STEPS):
    return penalty.prox(tf.constant(v), steps.reshape(4, 1, *[1] * penalty.axes)).numpy()


def inner(penalty, a, b):
    return (a * b).sum(tuple(range(-penalty.axes, 0)))


def value(penalty, w):
    return penalty.value(tf.constant(w)).numpy()


def test_every_penalty_is_tested():
    assert set(penalties) <= set(CASES)
    assert all(penalty.indicator for penalty in SETS.values())


@pytest.mark.parametrize("case", CASES)
def test_three_point_inequality(case):
    """p = prox(v) minimises 1/2 ||u - v||^2 + t psi(u), and by its strong convexity by 1/2 ||u - p||^2 everywhere."""
    penalty = CASES[case]
    v, u = points(penalty)
    if penalty.indicator:
        u = prox(penalty, 0.3 * u)  # of the set, and often inside it
    p = prox(penalty, v)

    def objective(w):
        return 0.5 * inner(penalty, w - v, w - v) + STEPS[..., 0] * value(penalty, w)

    assert np.all(objective(u) >= objective(p) + 0.5 * inner(penalty, u - p, u - p) - 1e-10)


@pytest.mark.parametrize("case", CASES)
def test_firmly_non_expansive(case):
    penalty = CASES[case]
    v, u = points(penalty)
    p, q = prox(penalty, v), prox(penalty, u)
    assert np.all(inner(penalty, p - q, p - q) <= inner(penalty, p - q, v - u) + 1e-10)


def _clip_rows(v, t):
    return v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 0.7 * t) * 0.7


def _clip_spectrum(v, t):
    u, s, vt = np.linalg.svd(v, full_matrices=False)
    return u * np.minimum(s / t[..., 0], 0.7)[..., None, :] @ vt


def _on_kernels(conjugate, shape):
    def with_biases(v, t):
        kernel = v[..., :4].reshape(*v.shape[:-1], *shape)
        found = conjugate(kernel, t.reshape(4, 1, *[1] * len(shape))).reshape(*v.shape[:-1], 4)
        return np.concatenate([found, 0 * v[..., 4:]], -1)

    return with_biases


# The proximal operator of the conjugate psi*/t with parameter 1/t, in closed form, at v/t.
CONJUGATES = {
    "zero": lambda v, t: np.zeros_like(v),
    "l1": lambda v, t: np.clip(v / t, -0.7, 0.7),
    "l2_squared": lambda v, t: v / t / (1 + 1 / (0.7 * t)),
    "nuclear": _clip_spectrum,
    "group_lasso": _clip_rows,
    "l1 on kernels": _on_kernels(lambda v, t: np.clip(v / t, -0.7, 0.7), (4,)),
    "nuclear on kernels": _on_kernels(_clip_spectrum, (2, 2)),
}


@pytest.mark.parametrize("case", CONJUGATES)
def test_moreau_identity(case):
    penalty = CASES[case]
    v, steps = points(penalty)[0], STEPS.reshape(4, 1, *[1] * penalty.axes)
    np.testing.assert_allclose(prox(penalty, v) + steps * CONJUGATES[case](v, steps), v, atol=1e-10)


@pytest.mark.parametrize("case", FINITE)
def test_no_step_is_the_identity(case):
    v = points(CASES[case])[0]
    np.testing.assert_array_equal(prox(CASES[case], v, 0 * STEPS), v)


@pytest.mark.parametrize("case", FINITE)
def test_subgradient_inequality(case):
    penalty = CASES[case]
    w, u = points(penalty)
    subgradient = penalty.subgradient(tf.constant(w)).numpy()
    assert np.all(value(penalty, u) >= value(penalty, w) + inner(penalty, subgradient, u - w) - 1e-10)


@pytest.mark.parametrize("case", FINITE)
def test_there_is_nothing_to_violate_where_a_penalty_is_finite(case):
    np.testing.assert_array_equal(CASES[case].violation(tf.constant(points(CASES[case])[0])), np.zeros((4, 200)))


@pytest.mark.parametrize("case", SETS)
def test_projections_are_feasible_and_idempotent_whatever_the_step(case):
    penalty = CASES[case]
    v = points(penalty)[0]
    p = prox(penalty, v)
    assert penalty.violation(tf.constant(v)).numpy().max() > 1
    assert penalty.violation(tf.constant(p)).numpy().max() < 1e-14
    np.testing.assert_allclose(prox(penalty, p), p, atol=1e-14)
    np.testing.assert_array_equal(prox(penalty, v, 0 * STEPS), p)
    np.testing.assert_array_equal(penalty.value(tf.constant(v)), np.zeros((4, 200)))


@pytest.mark.parametrize("case", SETS)
def test_a_projection_leaves_what_is_inside(case):
    v = 0.1 * points(CASES[case])[0]
    inside = CASES[case].violation(tf.constant(v)).numpy() == 0
    assert inside.mean() > 0.9
    np.testing.assert_array_equal(prox(CASES[case], v)[inside], v[inside])


def conditions(penalty, v):
    """s_1 / s_r of every matrix whose singular values the penalty takes, else 1; [4, 200]."""
    if not isinstance(getattr(penalty, "penalty", penalty), penalties["nuclear"]):
        return np.ones(v.shape[:2])
    matrices = v if penalty.axes == 2 else v[..., : BLOCKS[0].size].reshape(*v.shape[:2], *BLOCKS[0].shape)
    s = np.linalg.svd(matrices, compute_uv=False)
    return s[..., 0] / s[..., -1]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("case", CASES)
def test_xla_computes_the_same(case, dtype):
    """To the rounding that what is computed has.

    A spectral function is a product with a matrix of 1 / s, so that it is off by eps s_1 / s_r in the dtype of v; that
    matrix comes from the float64 eigenvalues of the Gram matrix, whose condition number is the square.
    """
    penalty = CASES[case]
    exact = points(penalty)[0]
    v, steps = tf.constant(exact, dtype), tf.constant(STEPS.reshape(4, 1, *[1] * penalty.axes), dtype)
    functions = [penalty.value, penalty.violation] + ([] if penalty.indicator else [penalty.subgradient])
    condition, largest = conditions(penalty, exact), np.abs(exact).reshape(4, 200, -1).max(-1)
    rounding = exact[0, 0].size * (np.finfo(dtype).eps * condition + np.finfo(float).eps * condition**2)
    for function in [lambda v: penalty.prox(v, steps), *functions]:
        found = tf.function(function, jit_compile=True)(v)
        assert found.dtype == dtype
        found, expected = (a.numpy().astype(float).reshape(4, 200, -1) for a in (found, function(v)))
        scale = np.maximum(largest, np.abs(expected).max(-1))
        assert np.all(np.abs(found - expected).max(-1) <= rounding * scale)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("case", [case for case in CASES if case != "box"])
def test_what_is_not_finite_stays_so_and_harms_no_other(case, bad):
    penalty = CASES[case]
    v = points(penalty)[0]
    v[:, 0].reshape(4, -1)[:, 0] = bad
    p = prox(penalty, v)
    assert not np.isfinite(p[:, 0]).reshape(4, -1).all(-1).any()
    np.testing.assert_array_equal(p[:, 1:], prox(penalty, v[:, 1:]))
