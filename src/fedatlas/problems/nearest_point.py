"""The distance to the clients' points."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.lazy import tf
from fedatlas.problems._blocks import Block
from fedatlas.problems.base import Array, Batch, Measured, Problem


@dataclass(frozen=True)
class NearestPoint(Problem):
    """Loss 1/2 ||w - x||^2 for an example with the point x; parameters w.

    With a ball as the constraint it is the problem of Yuan, Zaheer, Reddi, ICML 2021 (arXiv 2011.08474), section 3.2:
    an optimum on a curved boundary. `norm` is ||w||, and `distance` that to the optimum where the data has it.
    """

    @property
    def blocks(self) -> list[Block]:
        return [Block("point", self.data.shape, penalised=True)]

    def losses(self, w: Array, batch: Batch) -> Array:
        return tf.reduce_sum(tf.square(w[:, :, None] - tf.cast(batch.x, w.dtype)), -1) / 2

    @property
    def measured(self) -> Measured:
        return Measured(parameters=("norm", *(("distance",) if "optimum" in self.data.truth else ())))

    def model_metrics(self, w: Array) -> dict[str, Array]:
        metrics = {"norm": tf.norm(w, axis=-1)}
        if "optimum" in self.data.truth:
            metrics["distance"] = tf.norm(w - tf.constant(self.data.truth["optimum"], w.dtype), axis=-1)
        return metrics
