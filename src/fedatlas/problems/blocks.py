"""The flat parameter vector as the named kernels and biases that it is made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
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


@dataclass(frozen=True)
class OnKernels(Penalty):
    """The sum of one penalty over the kernels; biases are free, as in the code of Yuan et al. 2021 (FCO)."""

    penalty: Penalty
    blocks: Sequence[Block]

    def _split(self, w: Array) -> list[Array]:
        return tf.split(w, [block.size for block in self.blocks], axis=-1)

    def value(self, w: Array) -> Array:
        parts = zip(self._split(w), self.blocks, strict=True)
        return sum(self.penalty.value(part) for part, block in parts if block.penalised)

    def prox(self, v: Array, step: Array) -> Array:
        return self._on_kernels(v, lambda part: self.penalty.prox(part, step), lambda part: part)

    def subgradient(self, w: Array) -> Array:
        return self._on_kernels(w, self.penalty.subgradient, tf.zeros_like)

    def _on_kernels(self, w: Array, kernel, bias) -> Array:
        parts = zip(self._split(w), self.blocks, strict=True)
        parts = [kernel(part) if block.penalised else bias(part) for part, block in parts]
        return parts[0] if len(parts) == 1 else tf.concat(parts, axis=-1)
