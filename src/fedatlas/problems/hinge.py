"""Support vector machines: linear classifiers of two classes with the hinge loss, with an intercept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fedatlas.lazy import tf
from fedatlas.problems._blocks import Block
from fedatlas.problems._linear import TwoClasses, with_ones
from fedatlas.problems.base import Array, Batch


@dataclass(frozen=True)
class Hinge(TwoClasses):
    """Loss max(0, 1 - m) at the margin m = s (x'w + b), s = 1 for the label 1, -1 for the label 0; parameters (w, b).

    That of MOCHA (Smith, Chiang, Sanjabi, Talwalkar, NeurIPS 2017, arXiv 1705.10467), without its regulariser. `mu`
    adds mu/2 ||(w, b)||^2 to every client's objective, which is then strongly convex. `smoothing` makes it smooth too:
    the loss is then max over a in [0, 1] of a (1 - m) - smoothing/2 a^2, whose slope changes by 1 / smoothing at most
    where m changes by one (Shalev-Shwartz, Zhang, SDCA, JMLR 2013, arXiv 1209.1873).
    """

    by_duals = True

    mu: float = field(default=0.0, metadata={"at_least": 0})
    smoothing: float = field(default=0.0, metadata={"at_least": 0})

    @property
    def blocks(self) -> list[Block]:
        return [Block("kernel", self.data.shape, penalised=True), Block("bias", (1,), penalised=False)]

    def inputs(self, batch: Batch, dtype: Any) -> Array:
        return with_ones(batch.x, dtype)

    def signed_inputs(self, batch: Batch, dtype: Any) -> Array:
        """s (x, 1), whose product with the parameters is the margin; [C, B, d]."""
        return self._signs(batch, dtype)[..., None] * self.inputs(batch, dtype)

    def output_losses(self, z: Array, batch: Batch) -> Array:
        slack = tf.maximum(1 - self._signs(batch, z.dtype) * tf.squeeze(z, -1), 0)
        if not self.smoothing:
            return slack
        a = tf.minimum(slack / self.smoothing, 1)
        return a * slack - self.smoothing / 2 * tf.square(a)

    def regulariser(self, w: Array) -> Array:
        return self.mu / 2 * tf.reduce_sum(tf.square(w), -1) if self.mu else super().regulariser(w)

    def _signs(self, batch: Batch, dtype: Any) -> Array:
        return 2 * tf.cast(batch.y, dtype) - 1
