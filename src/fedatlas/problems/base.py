"""The contract of problems: a model and its loss as functions of one flat parameter vector."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from fedatlas.errors import AtlasError
from fedatlas.lazy import tf
from fedatlas.problems._blocks import Block
from fedatlas.structure import NONE

Array = Any  # a tf.Tensor


class Batch(NamedTuple):
    """Examples of a cohort: x [C, B, ...], y [C, B, ...] and mask [C, B], 0 where there is no example.

    key: [C, 2], integers that seed what is random in a local step; NONE where nothing is, as in an evaluation.
    numbers: [C, B], the places of the examples among all of their client, for algorithms that remember examples.
    """

    x: Array
    y: Array
    mask: Array
    key: Any = NONE
    numbers: Any = NONE


class Measured(NamedTuple):
    """The names of a problem's metrics: of its model on examples, of its parameters, and of those of a client."""

    examples: tuple[str, ...] = ("loss",)
    parameters: tuple[str, ...] = ()
    client: tuple[str, ...] = ()


CLASSIFIED = Measured(("loss", "accuracy"))


@dataclass(frozen=True)
class Data:
    """What a problem may know of the data before it sees any."""

    shape: tuple[int, ...]
    num_classes: int | None
    truth: Mapping[str, np.ndarray]

    @property
    def classes(self) -> int:
        """The number of classes, for problems that need some.

        Raises:
            AtlasError: if the data has none.
        """
        if self.num_classes is None:
            raise AtlasError("the problem needs classes, but the data set has none: choose another 'problem'.")
        return self.num_classes


@dataclass(frozen=True)
class Problem:
    """F_m(w) = the mean over client m's examples of a loss; its dataclass fields after `data` are its options.

    Arrays of parameters are [G, C, d], with C = 1 for a model that all clients share.

    Class attributes:
        compile: `xla` for problems that XLA makes faster, `graph` for those that it makes slower (convolutions,
            attention). A run too short to earn the compiling is left to the graph (`federated/worth.py`); its manifest
            says which it was.
        linear: the model's outputs are linear in the parameters, which are then a matrix (outputs, inputs) row by row:
            `losses` are `output_losses` of its product with `inputs`, plus `regulariser` (see `LinearModel`).
        stationarity: ||gradient of the mean of all F_m||^2 is a metric of it; for linear problems.
        by_duals: the loss is a hinge of `signed_inputs`, smoothed or not, beside mu/2 ||w||^2; the local problems are
            solved by their duals.
        one_by_one: it is trained with G = C = 1 and evaluated with C = 1, a few hundred examples at once; for networks,
            whose layers have no axes of configurations and clients.
        bounded: it knows a bound of the diagonal of its Hessian, for the solver's `scaling`; for linear problems.
        random: what a local step computes is drawn anew by the key of its batch, such as dropout.
    """

    compile: ClassVar[Literal["xla", "graph"]] = "xla"
    linear: ClassVar[bool] = False
    stationarity: ClassVar[bool] = False
    by_duals: ClassVar[bool] = False
    one_by_one: ClassVar[bool] = False
    bounded: ClassVar[bool] = False
    random: ClassVar[bool] = False

    data: Data

    @property
    def blocks(self) -> list[Block]:
        """The kernels and biases of which the parameter vector is made, in order."""
        raise NotImplementedError

    @property
    def num_params(self) -> int:
        """d."""
        return sum(block.size for block in self.blocks)

    @property
    def num_trained(self) -> int:
        """How many of them a gradient is taken by."""
        return self.num_params

    @property
    def measured(self) -> Measured:
        """What `example_metrics`, `model_metrics` and `client_metrics` hold, known before there is any data."""
        return Measured()

    def initial(self, seed: int) -> np.ndarray:
        """The initial parameter vector, [d]; zeros unless the problem says otherwise."""
        return np.zeros(self.num_params)

    def losses(self, w: Array, batch: Batch) -> Array:
        """The loss of every example, [G, C, B]; the entry of (g, c) depends on w[g, c] alone."""
        raise NotImplementedError

    @property
    def outputs(self) -> int:
        """The number of outputs o of a linear problem."""
        return 1

    def inputs(self, batch: Batch, dtype: Any) -> Array:
        """What a linear problem multiplies the parameters with, [C, B, num_params / outputs]."""
        raise NotImplementedError

    def output_losses(self, z: Array, batch: Batch) -> Array:
        """The losses [G, C, B] of the outputs z [G, C, B, o] of a linear problem, without the regulariser."""
        raise NotImplementedError

    def hessian_diagonal(self, squares: Array) -> Array:
        """A bound, at every w, of the diagonal of the Hessian of a `bounded` problem's F_m, [C, d].

        Args:
            squares: the means of the squared inputs, [C, d / outputs].
        """
        raise NotImplementedError

    def regulariser(self, w: Array) -> Array:
        """What a linear problem adds to the loss of every example, hence once to every F_m; [G, C]."""
        return tf.zeros(tf.shape(w)[:2], w.dtype)

    def example_metrics(self, w: Array, batch: Batch) -> dict[str, Array]:
        """What is averaged over examples when a model is evaluated, each [G, C, B]."""
        return {"loss": self.losses(w, batch)}

    def probabilities(self, w: Array, batch: Batch) -> Array:
        """The probabilities of the classes of every example, [G, C, B, classes]; of classifiers alone."""
        raise NotImplementedError

    def client_metrics(self, w: Array) -> dict[str, Array]:
        """What can be said of the parameters that a client uses itself [G, C, d]; each [G, C]."""
        return {}

    def model_metrics(self, w: Array) -> dict[str, Array]:
        """What can be said of the parameters [G, d] alone, such as a distance to the truth; each [G]."""
        return {}
