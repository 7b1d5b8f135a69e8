"""The flat parameter vector as the named kernels and biases that it is made of."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fedatlas.lazy import tf
from fedatlas.prox.base import Array, Penalty


@dataclass(frozen=True)
class Block:
    """A consecutive stretch of the parameter vector: a kernel (penalised) or a bias (not penalised).

    With `bias_column` it is both, a matrix (outputs, inputs + 1) whose last column is the bias: then a layer of all
    configurations is one product with inputs to which a one is appended, and no part of the vector is ever copied.
    """

    name: str
    shape: tuple[int, ...]
    penalised: bool
    bias_column: bool = False

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def matrix(self) -> tuple[int, int]:
        """The shape as (inputs, outputs): the last axis is the outputs; a vector has one."""
        if self.bias_column:
            outputs, inputs = self.shape
            return inputs, outputs
        shape = self.shape if len(self.shape) > 1 else (*self.shape, 1)
        return math.prod(shape[:-1]), shape[-1]

    @property
    def in_kernel(self) -> np.ndarray:
        """Which entries of the stretch belong to the kernel, [size]."""
        inside = np.ones(self.shape, bool)
        if self.bias_column:
            inside[:, -1] = False
        return inside.ravel()


@dataclass(frozen=True)
class OnKernels(Penalty):
    """The sum of one penalty over the kernels; biases are free, as in the code of Yuan et al. 2021 (FCO)."""

    penalty: Penalty
    blocks: Sequence[Block]

    @property
    def indicator(self) -> bool:  # type: ignore[override]
        return self.penalty.indicator

    def value(self, w: Array) -> Array:
        return sum(self.penalty.value(kernel) for kernel in self._kernels(w))

    def violation(self, w: Array) -> Array:
        """That of the kernel which is farthest outside."""
        return functools.reduce(tf.maximum, [self.penalty.violation(kernel) for kernel in self._kernels(w)])

    def prox(self, v: Array, step: Array) -> Array:
        step = step[..., None] if self.penalty.axes == 2 else step

        def mapped() -> Array:
            return self._map(v, lambda kernel: self.penalty.prox(kernel, step), lambda bias: bias)

        if not self.indicator:
            return mapped()
        outside = tf.reduce_any(self.violation(v) > 0)
        return tf.cond(outside, mapped, lambda: v)  # mostly nothing to do, which takes one look

    def subgradient(self, w: Array) -> Array:
        return self._map(w, self.penalty.subgradient, tf.zeros_like)

    def _split(self, w: Array) -> zip[tuple[Block, Array]]:
        return zip(self.blocks, tf.split(w, [block.size for block in self.blocks], axis=-1), strict=True)

    def _kernels(self, w: Array) -> list[Array]:
        return [self._shaped(part, block) for block, part in self._split(w) if block.penalised]

    def _shaped(self, part: Array, block: Block) -> Array:
        """A flat kernel [..., size] as the penalty takes it; a column of biases as zeros, which change no penalty."""
        if block.bias_column:
            part = tf.where(block.in_kernel, part, tf.zeros([], part.dtype))
        if self.penalty.axes == 1:
            return part
        shape = block.matrix[::-1] if block.bias_column else block.matrix
        matrix = tf.reshape(part, tf.concat([tf.shape(part)[:-1], shape], 0))
        return tf.linalg.matrix_transpose(matrix) if block.bias_column else matrix

    def _flat(self, kernel: Array, part: Array, block: Block) -> Array:
        """A kernel as the penalty gives it, as a stretch of the shape of `part`."""
        if self.penalty.axes == 1:
            return kernel
        if block.bias_column:
            kernel = tf.linalg.matrix_transpose(kernel)
        return tf.reshape(kernel, tf.shape(part))

    def _map(self, w: Array, on_kernel: Callable[[Array], Array], on_bias: Callable[[Array], Array]) -> Array:
        start = 0
        for block, part in self._split(w):
            mapped = self._flat(on_kernel(self._shaped(part, block)), part, block) if block.penalised else on_bias(part)
            if block.bias_column:
                mapped = tf.where(block.in_kernel, mapped, on_bias(part))
            w, start = replaced(w, start, mapped), start + block.size
        return w


def stretches(w: Array, blocks: Sequence[Block]) -> list[Array]:
    """w [..., d] block by block; the gradient is put together in place."""

    @tf.custom_gradient
    def split(w: Array) -> tuple[list[Array], Callable[..., Array]]:
        def gradient(*parts: Array) -> Array:
            whole, start = tf.zeros_like(w), 0
            for block, part in zip(blocks, parts, strict=True):
                whole, start = replaced(whole, start, part), start + block.size
            return whole

        return tf.split(w, [block.size for block in blocks], axis=-1), gradient

    return split(w) if len(blocks) > 1 else [w]


def replaced(w: Array, start: int, part: Array) -> Array:
    """w [..., d] with another stretch from `start` on; XLA does it in place, where joining costs a branch an entry."""
    end = start + part.shape[-1]
    return tf.raw_ops.TensorStridedSliceUpdate(
        input=w, begin=[0, start], end=[0, end], strides=[1, 1], value=part, ellipsis_mask=1
    )
