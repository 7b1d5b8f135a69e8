"""Least squares without an intercept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fedatlas.lazy import tf
from fedatlas.problems._blocks import Block
from fedatlas.problems._linear import LinearModel, squared_errors
from fedatlas.problems.base import Array, Batch


@dataclass(frozen=True)
class LeastSquares(LinearModel):
    """Loss 1/2 (x'w - y)^2 (Takakura, Liew, Hasegawa 2025, section 5); parameters w."""

    @property
    def blocks(self) -> list[Block]:
        return [Block("kernel", self.data.shape, penalised=True)]

    def inputs(self, batch: Batch, dtype: Any) -> Array:
        return tf.cast(batch.x, dtype)

    def output_losses(self, z: Array, batch: Batch) -> Array:
        return squared_errors(z, batch) / 2
