"""Softmax regression, with intercepts."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fedatlas.problems.base import Array, Batch, Problem
from fedatlas.problems.blocks import Block
from fedatlas.problems.layers import apply_layer, classification_metrics, cross_entropy, dense, flat_inputs


@dataclass(frozen=True)
class MultinomialLogistic(Problem):
    """Cross-entropy of softmax(W x + b) with x flattened, bytes as fractions of 255; parameters (W, b), row by row.

    The constrained logistic regression of Yuan et al. 2021 (arXiv 2011.08474), section A.5.
    """

    @property
    def blocks(self) -> list[Block]:
        return [dense("output", math.prod(self.data.shape), self.data.num_classes)]

    def losses(self, w: Array, batch: Batch) -> Array:
        return cross_entropy(self._logits(w, batch), batch)

    def example_metrics(self, w: Array, batch: Batch) -> dict[str, Array]:
        return classification_metrics(self._logits(w, batch), batch)

    def _logits(self, w: Array, batch: Batch) -> Array:
        return apply_layer(w, self.blocks[0], flat_inputs(batch, w.dtype))
