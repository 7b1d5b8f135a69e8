"""The flat parameter vector as the named kernels and biases that it is made of."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fedatlas.lazy import tf
from fedatlas.prox.base import Array, Penalty


@dataclass(frozen=True)
class Block:
    """A consecutive stretch of the parameter vector: a kernel (penalised) or a bias (not penalised)."""

    name: str
    shape: tuple[int, ...]
    penalised: bool

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def matrix(self) -> tuple[int, int]:
        """The shape as (inputs, outputs): the last axis is the outputs; a vector has one."""
        shape = self.shape if len(self.shape) > 1 else (*self.shape, 1)
        return math.prod(shape[:-1]), shape[-1]


@dataclass(frozen=True)
class OnKernels(Penalty):
    """The sum of one penalty over the kernels; biases are free, as in the code of Yuan et al. 2021 (FCO)."""

    penalty: Penalty
    blocks: Sequence[Block]

    @property
    def indicator(self) -> bool:
        return self.penalty.indicator

    def value(self, w: Array) -> Array:
        return sum(self.penalty.value(kernel) for kernel in self._kernels(w))

    def violation(self, w: Array) -> Array:
        """That of the kernel which is farthest outside."""
        return functools.reduce(tf.maximum, [self.penalty.violation(kernel) for kernel in self._kernels(w)])

    def prox(self, v: Array, step: Array) -> Array:
        step = step[..., None] if self.penalty.axes == 2 else step
        return self._map(v, lambda kernel: self.penalty.prox(kernel, step), lambda bias: bias)

    def subgradient(self, w: Array) -> Array:
        return self._map(w, self.penalty.subgradient, tf.zeros_like)

    def _split(self, w: Array) -> zip[tuple[Block, Array]]:
        return zip(self.blocks, tf.split(w, [block.size for block in self.blocks], axis=-1), strict=True)

    def _kernels(self, w: Array) -> list[Array]:
        return [self._shaped(part, block) for block, part in self._split(w) if block.penalised]

    def _shaped(self, part: Array, block: Block) -> Array:
        """A flat kernel [..., size] as the penalty takes it."""
        if self.penalty.axes == 1:
            return part
        return tf.reshape(part, tf.concat([tf.shape(part)[:-1], block.matrix], 0))

    def _map(self, w: Array, on_kernel: Callable[[Array], Array], on_bias: Callable[[Array], Array]) -> Array:
        parts = [
            tf.reshape(on_kernel(self._shaped(part, block)), tf.shape(part)) if block.penalised else on_bias(part)
            for block, part in self._split(w)
        ]
        return parts[0] if len(parts) == 1 else tf.concat(parts, axis=-1)
