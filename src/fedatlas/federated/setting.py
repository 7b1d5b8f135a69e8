"""Everything that the federated computations of a run are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import tensorflow as tf

from fedatlas.algorithms import (
    Algorithm,
    Composite,
    Decentralised,
    ExactLocal,
    FineTuned,
    MixtureLearner,
    PerExample,
    Synchronised,
)
from fedatlas.algorithms.base import Population
from fedatlas.federated.batches import LocalWork, narrowed
from fedatlas.federated.client_reader import ClientReader, Examples
from fedatlas.federated.cohorts import fitting_group
from fedatlas.federated.local_options import LocalOptions
from fedatlas.federated.roles import speaking
from fedatlas.federated.solvers import Solver
from fedatlas.federated.worth import compiling_pays, narrowing_pays
from fedatlas.problems import Mixture, OnKernels, Problem
from fedatlas.prox.base import Penalty


@dataclass(frozen=True)
class Setting:
    """Everything that the federated computations of a run are made from.

    Attributes:
        hyperparameters: name -> [G], one value per configuration.
        readers: one per split; `train` is the one that is trained on.
        chunk: how many clients are vectorised at once.
        weighting: `uniform`, or `examples` for weights in proportion to the clients' numbers of examples.
        solver: of the local problems, for algorithms that solve them.
        rounds: of the whole run, each with so many clients; None where that is not known, as if it were long.
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
    solver: Solver | None = None
    coin_seed: int = 0
    local: LocalOptions = LocalOptions()
    graph: np.ndarray | None = None  # weights between the clients, [clients, clients]
    rounds: int | None = None
    cohort: int = 1

    @property
    def num_configurations(self) -> int:
        return len(next(iter(self.hyperparameters.values()), ["the only one"]))

    @property
    def itemsize(self) -> int:
        """Bytes of a parameter."""
        return np.dtype(self.dtype).itemsize

    @property
    def pooled(self) -> bool:
        return self.algorithm.data == "pooled"

    @property
    def exact_local(self) -> bool:
        return issubclass(self.algorithm, ExactLocal)

    @property
    def finetunes(self) -> bool:
        return issubclass(self.algorithm, FineTuned)

    @property
    def per_example(self) -> bool:
        return issubclass(self.algorithm, PerExample)

    @property
    def synchronises(self) -> bool:
        """Whether all clients' states are changed together after a round."""
        return issubclass(self.algorithm, Synchronised | Decentralised)

    @property
    def groups(self) -> int:
        """Into how many groups the configurations are split, one after another."""
        if self.exact_local:
            return 1  # the more configurations, the better a product with the examples that they share
        if self.problem.one_by_one:
            return self.num_configurations
        bytes_each = self.problem.num_params * self.itemsize
        return self.num_configurations // fitting_group(self.num_configurations, bytes_each)

    @property
    def compiled(self) -> bool:
        """Whether XLA compiles the local work: where that makes it faster, and the run is long enough to earn it."""
        if self.problem.compile != "xla" or self.exact_local or self.narrows:
            return False
        if self.problem.one_by_one and self.per_example:  # in microbatches, whose number XLA would have to know
            return False
        return compiling_pays(self)

    @cached_property
    def narrows(self) -> bool:
        """Whether clients are filled up to the largest of their chunk, not of all: XLA would compile every size."""
        remembers = self.per_example and not issubclass(self.algorithm, MixtureLearner)  # places for all, in its state
        return not self.pooled and not remembers and narrowing_pays(self)

    @property
    def on_kernels(self) -> OnKernels:
        """The penalty on the parameter vector."""
        return OnKernels(self.penalty, self.problem.blocks)

    def read(self, reader: ClientReader, clients: tf.Tensor) -> Examples:
        """The examples of the clients of a chunk, of one of the readers."""
        examples = reader.read(clients)
        return narrowed(examples) if self.narrows else examples

    def values(self) -> dict[str, tf.Tensor]:
        """The hyper-parameters as tensors [G, 1, 1]; to be called where a graph is being built."""
        return {name: tf.constant(v, self.dtype)[:, None, None] for name, v in self.hyperparameters.items()}

    def instance(self, round_number: tf.Tensor | int = 0, values: Mapping[str, tf.Tensor] | None = None) -> Algorithm:
        """The algorithm with its hyper-parameters in a round, all configurations' if no `values` are given."""
        values = self.local.rates(self.values() if values is None else values, round_number)
        train, components = self.readers["train"], self.problem.components if isinstance(self.problem, Mixture) else 1
        population = Population(train.num_clients, train.most, components)
        given = {"penalty": self.on_kernels} if issubclass(self.algorithm, Composite) else {}
        return speaking(self.algorithm(**given, **values, population=population))

    def weights(self, counts: tf.Tensor) -> tf.Tensor:
        """The weight of clients with these numbers of examples in a mean, [C]; 0 for a client that is not there."""
        counts = tf.cast(counts, self.dtype)
        return counts if self.weighting == "examples" else tf.minimum(counts, 1)

    @property
    def total_weight(self) -> float:
        """The sum of the weights of all clients that train; pooled they are one."""
        sizes = self.readers["train"].sizes
        if self.pooled:
            sizes = sizes.sum(keepdims=True)
        return float(sizes.sum() if self.weighting == "examples" else np.count_nonzero(sizes))

    def initial_params(self) -> tf.Tensor:
        """w0, [G, 1, d]; where the penalty is a set, the point of it that is nearest to the problem's."""
        w0 = tf.constant(self.initial, self.dtype)[None, None]
        if self.penalty.indicator:
            w0 = self.on_kernels.prox(w0, tf.ones([1, 1, 1], self.dtype))
        return tf.tile(w0, [self.num_configurations, 1, 1])
