"""Mixtures of models: one flat vector of the components' parameters and their weights."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fedatlas.lazy import tf
from fedatlas.problems._blocks import Block
from fedatlas.problems.base import CLASSIFIED, Array, Batch, Measured, Problem


@dataclass(frozen=True)
class Mixture(Problem):
    """-log sum_m pi_m exp(-l(theta_m; s)) for the loss l of another problem; parameters (theta_1, ..., theta_M, pi).

    Marfoq, Neglia, Bellet, Kameni, Vidal, NeurIPS 2021 (FedEM, arXiv 2108.10252), section 2 and equation 6. What is
    predicted are the components' probabilities, mixed by pi. Every component starts from a seed of its own, pi uniform.

    Attributes:
        of: the problem of one component.
        components: M.
    """

    of: Problem
    components: int

    @property
    def compile(self) -> str:  # type: ignore[override]
        return self.of.compile

    @property
    def one_by_one(self) -> bool:  # type: ignore[override]
        return self.of.one_by_one

    @property
    def random(self) -> bool:  # type: ignore[override]
        return self.of.random

    @property
    def blocks(self) -> list[Block]:
        of_each = [
            replace(block, name=f"{block.name}{m}") for m in range(1, self.components + 1) for block in self.of.blocks
        ]
        return [*of_each, Block("weights", (self.components,), penalised=False)]

    @property
    def num_trained(self) -> int:
        return self.num_params - self.components

    def initial(self, seed: int) -> np.ndarray:
        each = [self.of.initial(seed + m) for m in range(self.components)]
        return np.concatenate([*each, np.full(self.components, 1 / self.components)])

    def split(self, w: Array) -> tuple[Array, Array]:
        """theta [G, C, M d] and pi [G, C, M] of the parameters [G, C, M d + M]."""
        return w[..., : -self.components], w[..., -self.components :]

    def component_losses(self, theta: Array, batch: Batch) -> Array:
        """l(theta_m; s) of theta [G, C, M d] for every example, [G, C, M, B]."""
        return self._of_components(theta, lambda w: self.of.losses(w, batch))

    def losses(self, w: Array, batch: Batch) -> Array:
        theta, pi = self.split(w)
        losses = self.component_losses(theta, batch)
        return -tf.reduce_logsumexp(tf.math.log(pi)[..., None] - losses, -2)

    def probabilities(self, w: Array, batch: Batch) -> Array:
        theta, pi = self.split(w)
        each = self._of_components(theta, lambda w: self.of.probabilities(w, batch))  # [G, C, M, B, ..., classes]
        return tf.einsum("gcm,gcm...->gc...", pi, each)

    @property
    def measured(self) -> Measured:
        found = CLASSIFIED if self.data.num_classes is not None else Measured()
        weights = tuple(f"weight_{m + 1}" for m in range(self.components))
        known = len(self.data.truth.get("theta", ())) == self.components
        return Measured(found.examples, ("component_distance",) if known else (), ("entropy", *weights))

    def example_metrics(self, w: Array, batch: Batch) -> dict[str, Array]:
        if not self.one_by_one:
            return self._metrics(w, batch)
        of_one = tf.map_fn(
            lambda one: self._metrics(one[None], batch), w, fn_output_signature={"loss": w.dtype, "accuracy": w.dtype}
        )
        return {name: values[:, 0] for name, values in of_one.items()}

    def _metrics(self, w: Array, batch: Batch) -> dict[str, Array]:
        metrics = {"loss": self.losses(w, batch)}
        if self.data.num_classes is not None:
            found = tf.argmax(self.probabilities(w, batch), -1, output_type=tf.int32)
            right = tf.cast(tf.equal(found, tf.cast(batch.y, tf.int32)[None]), w.dtype)
            metrics["accuracy"] = tf.reduce_mean(right, [*range(3, right.shape.rank)])  # over positions
        return metrics

    def client_metrics(self, w: Array) -> dict[str, Array]:
        pi = self.split(w)[1]
        weights = {f"weight_{m + 1}": pi[..., m] for m in range(self.components)}
        return {"entropy": -tf.reduce_sum(tf.math.xlogy(pi, pi), -1)} | weights

    def model_metrics(self, w: Array) -> dict[str, Array]:
        """Where the data has as many true linear classifiers, the cosine distance of the learned ones' kernels to them.

        It is that of the two matrices of all components, which are matched as is nearest; 1 from kernels that are zero.
        """
        truth = self.data.truth.get("theta")
        if truth is None or len(truth) != self.components:
            return {}
        theta = tf.reshape(self.split(w)[0], [-1, self.components, self.of.num_params])
        kernels = tf.cast(theta[..., : truth.shape[1]], tf.float64)
        products = tf.einsum("gmd,kd->gmk", kernels, tf.constant(truth, tf.float64))
        orders = [*itertools.permutations(range(self.components))]
        sums = [sum(products[:, m, k] for k, m in enumerate(order)) for order in orders]
        norms = tf.norm(kernels, axis=[-2, -1]) * np.linalg.norm(truth)
        return {"component_distance": 1 - tf.math.divide_no_nan(tf.reduce_max(tf.stack(sums), 0), norms)}

    def _of_components(self, theta: Array, of_one: Any) -> Array:
        """A function of the parameters of a component [., C, d], of all of them: [G, C, M, ...]."""
        each = tf.split(theta, self.components, axis=-1)
        if self.one_by_one:
            return tf.stack([of_one(w) for w in each], 2)
        together = of_one(tf.concat(each, 0))  # components as further configurations
        return tf.stack(tf.split(together, self.components), 2)
