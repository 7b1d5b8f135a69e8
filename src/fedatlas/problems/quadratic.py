"""One-dimensional quadratics, one per example."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fedatlas.lazy import tf
from fedatlas.problems._blocks import Block
from fedatlas.problems._linear import LinearModel
from fedatlas.problems.base import Array, Batch, Measured


@dataclass(frozen=True)
class Quadratic(LinearModel):
    """c w^2 + s w for an example with x = c and y = s; w starts at `start`, and |w| is its `distance`.

    For Claim 2.2 of Zhang et al. 2021 (FedPD, arXiv 2005.11418) two clients of ours: curvatures 1 and -1, no slope.
    """

    start: float

    @property
    def blocks(self) -> list[Block]:
        return [Block("point", (1,), penalised=True)]

    def initial(self, seed: int) -> np.ndarray:
        return np.array([self.start])

    def inputs(self, batch: Batch, dtype: Any) -> Array:
        return tf.ones_like(tf.cast(batch.x, dtype))

    def output_losses(self, z: Array, batch: Batch) -> Array:
        w = tf.squeeze(z, -1)
        return tf.cast(batch.x[..., 0], w.dtype) * tf.square(w) + tf.cast(batch.y, w.dtype) * w

    @property
    def measured(self) -> Measured:
        return Measured(parameters=("distance",))

    def model_metrics(self, w: Array) -> dict[str, Array]:
        return {"distance": tf.norm(w, axis=-1)}
