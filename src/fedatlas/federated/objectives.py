"""The objective of a chunk of clients as a function of their parameters.

Where a problem's outputs are linear in the parameters, they are kept beside every point: then a value anywhere on a
line through known points costs no product with the examples, and a gradient costs one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import tensorflow as tf

from fedatlas.errors import AtlasError
from fedatlas.federated.microbatches import in_microbatches, without_padding
from fedatlas.federated.solvers import Margins, Solver, minimise, minimise_by_dual
from fedatlas.problems._linear import Inputs, outputs_of
from fedatlas.problems._mixture import Mixture
from fedatlas.problems.base import Batch, Problem
from fedatlas.structure import NONE, absent

Transform = Callable[..., tf.Tensor]  # of a gradient at w, and of what an algorithm adds to it, all [G, C, d]


class Point(NamedTuple):
    """w [G, C, d], and the model's outputs there [G, C, B * o]; NONE where they are not linear in w.

    Linear combinations of points are those of their parts.
    """

    w: tf.Tensor
    outputs: Any


class Objective:
    """F_m or f: the mean loss of each client over its examples in a batch.

    The loss of (g, c) depends on w[g, c] alone, so that the gradient of the sum over all (g, c) holds each one's own.

    Attributes:
        gradients: [G or 1, C or 1, 1], how often the gradient over all the examples was evaluated.
    """

    def __init__(
        self,
        problem: Problem,
        batch: Batch,
        inputs: Inputs | None = None,
        solver: Solver | None = None,
        transform: Transform | None = None,
    ):
        self._problem, self._batch, self._inputs, self._solver = problem, batch, inputs, solver
        self._transform = transform
        self.gradients: Any = 0.0

    @classmethod
    def of_all(cls, problem: Problem, examples: Batch, dtype: Any, solver: Solver | None) -> Objective:
        """F, whose examples are put into the form of products once for all its calls."""
        inputs = Inputs.of(problem.inputs(examples, dtype), many=solver is not None) if problem.linear else None
        return cls(problem, examples, inputs, solver)

    def again(self, transform: Transform) -> Objective:
        """f of a step that uses all examples, counting from zero; its gradients are transformed."""
        return Objective(self._problem, self._batch, self._inputs, self._solver, transform)

    def on(self, batch: Batch, transform: Transform) -> Objective:
        """f of a step that uses a batch of the examples; its gradients are transformed.

        A network computes no example that is not there, unless XLA, which must know all sizes, may compile it.
        """
        batch = without_padding(batch) if self._problem.one_by_one and self._problem.compile == "graph" else batch
        return Objective(self._problem, batch, transform=transform)

    @property
    def examples(self) -> tf.Tensor:
        """The number of examples of each client, [1, C, 1]."""
        return tf.reduce_sum(tf.cast(self._batch.mask, tf.float64), -1)[None, :, None]

    @property
    def clients(self) -> Any:
        """C."""
        return self._batch.mask.shape[0] or tf.shape(self._batch.mask)[0]

    def at_rest(self, configurations: int, dtype: Any) -> tf.Tensor:
        """The velocity of a momentum that has not begun, [G, C, d]."""
        return tf.zeros([configurations, self.clients, self._problem.num_trained], dtype)

    def at(self, w: tf.Tensor) -> Point:
        """The point w [G, C, d], or [G, 1, d] at every client."""
        w = self._at_every_client(w)
        return Point(w, NONE if self._inputs is None else self._outputs(w))

    def value(self, w: tf.Tensor) -> tf.Tensor:
        """The mean loss at w [G, C, d]; [G, C, 1]."""
        return self.value_at(self.at(w))

    def value_at(self, point: Point) -> tf.Tensor:
        """The mean loss at a point, [G, C, 1]; 0 for a client without examples."""
        return mean_over_examples(self._losses(point), self._batch.mask)[..., None]

    def gradient(self, w: tf.Tensor, plus: tf.Tensor | None = None) -> tf.Tensor:
        """The gradient at w [G, C, d], 0 without examples, and a correction to it of the algorithm's; [G, C, d]."""
        self.gradients += 1.0
        return self.gradient_at(self.at(w), plus)

    def gradient_where(self, w: tf.Tensor, where: tf.Tensor, otherwise: tf.Tensor) -> tf.Tensor:
        """The gradient at w [G, C, d] where `where` [G, C or 1, 1] holds, `otherwise` elsewhere; counted there only."""
        self.gradients += tf.cast(where, tf.float64)
        anywhere = tf.reduce_any(where)
        return tf.cond(
            anywhere, lambda: tf.where(where, self.gradient_at(self.at(w)), otherwise), lambda: tf.identity(otherwise)
        )

    def gradient_at(self, point: Point, plus: tf.Tensor | None = None) -> tf.Tensor:
        """The gradient at a point, [G, C, d], as the local options of a step transform it; it is not counted."""
        with tf.GradientTape() as tape:
            tape.watch(point)
            total = tf.reduce_sum(mean_over_examples(self._losses(point), self._batch.mask))
        gradient = self._chained(tape.gradient(total, point, unconnected_gradients="zero"))
        return self._transformed(gradient, point.w, plus)

    def component_losses(self, theta: tf.Tensor) -> tf.Tensor:
        """The losses of the examples for each component of a mixture [G, C, M d]; [G, C, M, B]. Not counted."""
        theta = self._at_every_client(theta)

        def losses_of(batch: Batch) -> tf.Tensor:
            return self._mixture.component_losses(theta, batch)

        return in_microbatches(losses_of, self._batch) if self._problem.one_by_one else losses_of(self._batch)

    def component_gradient(self, theta: tf.Tensor, q: tf.Tensor) -> tf.Tensor:
        """The gradient by theta of the mean over examples of sum_m q_m l(theta_m), as local options transform it.

        Args:
            theta: the components' parameters, [G, C, M d].
            q: the weights of the examples for each component, [G, C, M, B].
        """
        self.gradients += float(self._mixture.components)
        with tf.GradientTape() as tape:
            tape.watch(theta)
            weighted = tf.reduce_sum(q * self._mixture.component_losses(theta, self._batch), 2)
            total = tf.reduce_sum(mean_over_examples(weighted, self._batch.mask))
        return self._transformed(tape.gradient(total, theta), theta)

    def of_batch(self, values: tf.Tensor) -> tf.Tensor:
        """Values [G, C, ..., N] of all examples of each client, those of the batch; [G, C, ..., B]."""
        numbers = self._batch.numbers
        if absent(numbers):
            return values
        return tf.gather(values, tf.tile(numbers[None], [tf.shape(values)[0], 1, 1]), axis=-1, batch_dims=2)

    def into_batch(self, values: tf.Tensor, new: tf.Tensor) -> tf.Tensor:
        """Values [G, C, N] of all examples of each client with those of the batch replaced by new [G, C, B]."""
        numbers = self._batch.numbers
        if absent(numbers):
            return new
        placed = tf.one_hot(numbers, tf.shape(values)[-1], dtype=values.dtype)  # [C, B, N]
        placed *= tf.cast(self._batch.mask, values.dtype)[..., None]
        return values * (1 - tf.reduce_sum(placed, 1)) + tf.einsum("gcb,cbn->gcn", new, placed)

    def signed_inputs(self, dtype: Any) -> tf.Tensor:
        """s x for every example, [C, B, d]; the problem's loss is max(0, 1 - s x'w).

        Raises:
            AtlasError: it is not that alone.
        """
        if not self._problem.by_duals or self._hinge.smoothing or self._hinge.mu:
            raise AtlasError(
                "problem: the algorithm's steps are those of the hinge loss alone: take the problem 'hinge' without "
                "'mu' and 'smoothing'."
            )
        return self._hinge.signed_inputs(self._batch, dtype)

    def mean(self, values: tf.Tensor) -> tf.Tensor:
        """The mean over the examples of values [G, C, M, B]; [G, C, M]."""
        return mean_over_examples(values, self._batch.mask[:, None])

    def hessian_product(self, w: tf.Tensor, v: tf.Tensor) -> tf.Tensor:
        """The Hessian at w times v, both [G, C, d], of the same shape; it is not counted."""
        point = self.at(w)
        with tf.GradientTape() as outer:
            outer.watch(point)
            with tf.GradientTape() as inner:
                inner.watch(point)
                total = tf.reduce_sum(mean_over_examples(self._losses(point), self._batch.mask))
            gradient = tf.nest.flatten(inner.gradient(total, point, unconnected_gradients="zero"))
        along = tf.nest.flatten(self.at(v))
        return self._chained(outer.gradient(gradient, point, along, unconnected_gradients="zero"))

    def count(self, gradients: tf.Tensor) -> None:
        """Adds so many gradients [G, C, 1] to those that were evaluated."""
        self.gradients += gradients

    def minimise(
        self, start: tf.Tensor, linear: Any = 0.0, strength: Any = 0.0, centre: Any = 0.0, within: Any = None
    ) -> tf.Tensor:
        """argmin_u F(u) + <linear, u> + strength / 2 ||u - centre||^2 from `start` [G, C or 1, d]; [G, C, d].

        Args:
            within: how far from its minimum the value may be, [G, C or 1, 1]; None for the solver's own accuracy.

        Raises:
            AtlasError: `within` is given, and the problem has no dual that tells how far it is.
        """
        start, idle = self._at_every_client(start), tf.equal(self.examples, 0)
        if self._problem.by_duals:
            found, passes = self._minimise_by_dual(start, linear, strength, centre, within)
        elif within is not None:
            raise AtlasError(
                "problem.name: the primal-dual gap of this problem is not known, and the algorithm stops its local "
                "solver at one. Take the problem 'hinge', or an algorithm that stops at 'training.solver.tolerance'."
            )
        else:
            scale = self._scale(start, strength) if self._stop.scaling else 1.0
            found, passes = minimise(self, self._stop, start, linear, strength, centre, idle, scale)
        self.gradients += passes
        return tf.where(idle, start, found)

    def _scale(self, w: tf.Tensor, strength: Any) -> tf.Tensor:
        """1 / sqrt of a bound of the Hessian diagonal of F + strength / 2 ||.||^2, [G, C, d]; 1 where that is 0."""
        squares = mean_over_examples(tf.square(cast(Inputs, self._inputs).columns), self._batch.mask[:, None])
        bound = self._problem.hessian_diagonal(squares) + strength * tf.ones_like(w)
        return tf.math.rsqrt(tf.where(bound > 0, bound, 1))

    def _minimise_by_dual(
        self, start: tf.Tensor, linear: Any, strength: Any, centre: Any, within: Any
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """As `minimise`, where F is the mean of hinge losses, smoothed or not, of z_i'u, plus mu / 2 ||u||^2."""
        scalar, dtype = tf.concat([tf.shape(start)[:2], [1]], 0), start.dtype
        strength = tf.broadcast_to(tf.convert_to_tensor(strength, dtype), scalar)
        present = tf.cast(self._batch.mask, dtype)
        shares = present / tf.maximum(tf.reduce_sum(present, -1, keepdims=True), 1)
        margins = Margins(self._hinge.signed_inputs(self._batch, dtype), shares, self._hinge.smoothing)
        b = tf.broadcast_to(strength * centre - linear, tf.shape(start))
        accuracy = tf.convert_to_tensor(self._stop.tolerance if within is None else within, dtype)
        return minimise_by_dual(margins, self._stop.most_iterations, start, strength + self._hinge.mu, b, accuracy)

    @property
    def _stop(self) -> Solver:
        """When the solver stops, for methods that ask for it."""
        return cast(Solver, self._solver)

    @property
    def _mixture(self) -> Mixture:
        """The problem, for methods that ask for its components."""
        return cast(Mixture, self._problem)

    @property
    def _hinge(self) -> Any:
        """The problem, for methods that ask for its margins, `mu` and `smoothing`, as those solved `by_duals` have."""
        return self._problem

    def _transformed(self, gradient: tf.Tensor, w: tf.Tensor, plus: tf.Tensor | None = None) -> tf.Tensor:
        if self._transform is not None:
            return self._transform(gradient, w, plus)
        return gradient if plus is None else gradient + plus

    def _at_every_client(self, w: tf.Tensor) -> tf.Tensor:
        return widened(w, self.clients)

    def _losses(self, point: Point) -> tf.Tensor:
        """[G, C, B]; the regulariser is part of every example's loss."""
        if self._inputs is None:
            return self._problem.losses(point.w, self._batch)
        shape = tf.concat([tf.shape(point.outputs)[:2], [-1, self._problem.outputs]], 0)
        losses = self._problem.output_losses(tf.reshape(point.outputs, shape), self._batch)
        return losses + self._problem.regulariser(point.w)[..., None]

    def _outputs(self, w: tf.Tensor) -> tf.Tensor:
        outputs = outputs_of(w, cast(Inputs, self._inputs).rows, self._problem.outputs)  # [G, C, B, o]
        return tf.reshape(outputs, tf.concat([tf.shape(w)[:2], [outputs.shape[2:].num_elements() or -1]], 0))

    def _chained(self, parts: Point) -> tf.Tensor:
        """The gradient by w of what depends on the point by these gradients."""
        if self._inputs is None:
            return parts.w
        by_outputs = tf.reshape(parts.outputs, tf.concat([tf.shape(parts.w)[:2], [-1, self._problem.outputs]], 0))
        return parts.w + tf.reshape(self._inputs.weighted(by_outputs), tf.shape(parts.w))


def widened(array: tf.Tensor, width: Any) -> tf.Tensor:
    """[G, 1, ...] as [G, C, ...]: every client has the server's value."""
    if array.shape[1] != 1 or width == 1:
        return array
    return tf.tile(array, [1, width, *[1] * (array.shape.rank - 2)])  # tf.repeat makes a dozen operations more


def mean_over_examples(values: tf.Tensor, mask: tf.Tensor) -> tf.Tensor:
    """The mean of values [G, C, B] over the examples that are there, [G, C]; 0 where there are none."""
    present = tf.cast(mask, values.dtype)
    weights = present / tf.maximum(tf.reduce_sum(present, -1, keepdims=True), 1)
    return tf.reduce_sum(values * weights, -1)
