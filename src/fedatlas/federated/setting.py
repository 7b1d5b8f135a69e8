"""Everything that the federated computations of a run are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import tensorflow as tf

from fedatlas.algorithms.base import Algorithm
from fedatlas.federated.batches import LocalWork
from fedatlas.federated.reading import ClientReader
from fedatlas.problems.base import Problem
from fedatlas.problems.blocks import OnKernels
from fedatlas.prox.base import Penalty

EVALUATED_AT_ONCE = 16  # clients, when a model is evaluated


@dataclass(frozen=True)
class Setting:
    """Everything that the federated computations of a run are made from.

    Attributes:
        hyperparameters: name -> [G], one value per configuration.
        readers: one per split; `train` is the one that is trained on.
        chunk: how many clients are vectorised at once.
        weighting: `uniform`, or `examples` for weights in proportion to the clients' numbers of examples.
    """

    algorithm: type[Algorithm]
    hyperparameters: Mapping[str, np.ndarray]
    problem: Problem
    penalty: Penalty
    readers: Mapping[str, ClientReader]
    work: LocalWork
    weighting: str
    dtype: str
    chunk: int
    seed: int  # of the run's stream of batches
    initial: np.ndarray

    @property
    def num_configurations(self) -> int:
        return len(next(iter(self.hyperparameters.values())))

    @property
    def pooled(self) -> bool:
        return self.algorithm.data == "pooled"

    def instance(self) -> Algorithm:
        """The algorithm with its hyper-parameters as tensors [G, 1, 1]; to be called where a graph is being built."""
        values = {name: tf.constant(v, self.dtype)[:, None, None] for name, v in self.hyperparameters.items()}
        return self.algorithm(penalty=OnKernels(self.penalty, self.problem.blocks), **values)

    def initial_params(self) -> tf.Tensor:
        """w0, [G, 1, d]."""
        return tf.tile(tf.constant(self.initial, self.dtype)[None, None], [self.num_configurations, 1, 1])
