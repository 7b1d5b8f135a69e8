"""Singular values through the eigen-decomposition of the smaller Gram matrix."""

from __future__ import annotations

from fedatlas.lazy import tf
from fedatlas.prox.base import Array


def right_singular(v: Array) -> tuple[Array, Array]:
    """The singular values [..., q] and right singular vectors [..., q, q] of tall matrices v [..., p, q], p >= q.

    In float64 whatever the dtype of v: a Gram matrix squares the condition number, so that singular values below
    3e-4 of the largest would drown in float32. NaN, with the identity for vectors, where v is not finite.
    """
    gram = tf.matmul(*[tf.cast(v, tf.float64)] * 2, transpose_a=True)
    finite = tf.reduce_all(tf.math.is_finite(gram), [-2, -1])
    gram = tf.where(finite[..., None, None], gram, tf.eye(v.shape[-1], dtype=tf.float64))  # no solver takes NaN
    squares, basis = tf.linalg.eigh(gram)
    nan = tf.constant(float("nan"), tf.float64)
    return tf.where(finite[..., None], tf.sqrt(tf.maximum(squares, 0)), nan), basis


def singular_values(v: Array) -> Array:
    """The singular values of matrices v [..., p, q], [..., min(p, q)], in ascending order and in float64."""
    return right_singular(upright(v))[0]


def upright(v: Array) -> Array:
    """v, or its transpose where that is the taller one."""
    return tf.linalg.matrix_transpose(v) if v.shape[-2] < v.shape[-1] else v


def scale_singular_values(v: Array, factors: Array, basis: Array) -> Array:
    """v with each of its singular values times a factor [..., q], for v and basis of `right_singular`."""
    scaling = tf.matmul(basis * factors[..., None, :], basis, transpose_b=True)
    return tf.matmul(v, tf.cast(scaling, v.dtype))
