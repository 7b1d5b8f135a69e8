"""Fully connected networks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fedatlas.lazy import tf
from fedatlas.problems._blocks import Block, stretches
from fedatlas.problems._layers import apply_layer, classification_metrics, cross_entropy, dense, flat_inputs
from fedatlas.problems._linear import glorot
from fedatlas.problems.base import CLASSIFIED, Array, Batch, Measured, Problem


@dataclass(frozen=True)
class MLP(Problem):
    """Cross-entropy of a network with ReLU after each hidden layer; inputs flattened, bytes as fractions of 255.

    The two-hidden-layer network of Yuan et al. 2021 (arXiv 2011.08474), section A.5; `2nn` in their code. Every
    layer's kernel is a block of its own, so that each lies in a ball of its own. Kernels start Glorot-uniform, biases
    at zero, as Keras does.
    """

    hidden: Sequence[int]

    @property
    def blocks(self) -> list[Block]:
        widths = (math.prod(self.data.shape), *self.hidden, self.data.classes)
        return [dense(f"layer{i}", *pair) for i, pair in enumerate(itertools.pairwise(widths), 1)]

    def initial(self, seed: int) -> np.ndarray:
        rng = np.random.default_rng(seed)
        return np.concatenate([glorot(rng, inputs - 1, outputs) for inputs, outputs in (b.matrix for b in self.blocks)])

    def losses(self, w: Array, batch: Batch) -> Array:
        return cross_entropy(self._logits(w, batch), batch)

    @property
    def measured(self) -> Measured:
        return CLASSIFIED

    def example_metrics(self, w: Array, batch: Batch) -> dict[str, Array]:
        return classification_metrics(self._logits(w, batch), batch)

    def _logits(self, w: Array, batch: Batch) -> Array:
        found = flat_inputs(batch, w.dtype)
        for i, (block, params) in enumerate(zip(self.blocks, stretches(w, self.blocks), strict=True)):
            found = apply_layer(params, block, tf.nn.relu(found) if i else found)
        return found
