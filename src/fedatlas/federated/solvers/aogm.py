"""The local solver: minimises each client's objective to a given accuracy, every configuration and client on its own.

AOGM, the optimized gradient method with adaptive restart and full backtracking: Kim, Fessler, Math. Program. 2016
(OGM) and J. Optim. Theory Appl. 2018 (restart); Calatroni, Chambolle, SIAM J. Optim. 2019 (backtracking in which the
step may grow). Park, Xu 2023 (DualFL, arXiv 2305.10294), section 7, use it and give no constants; those here are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

GROWTH, SHRINKAGE, DAMPING = 0.9, 0.6, 0.8  # of the step, of a refused step, of the over-relaxation
MOST_TRIALS = 100  # of the step, in one iteration
RESOLVED = 256  # times the rounding of the value: a smaller decrease drowns in it


@dataclass(frozen=True)
class Solver:
    """When a local solver stops.

    Attributes:
        tolerance: the relative change of the value in an iteration; with 0 all iterations are done.
        most_iterations: of one call.
        scaling: `diagonal`: it works in coordinates in which the problem's bound of the Hessian's diagonal is one. The
            minimiser is the same, and the path to it another.
    """

    tolerance: float
    most_iterations: int
    scaling: str | None = None


class RegularisedObjective:
    """phi(u) = F(u) + <linear, u> + strength / 2 ||u - centre||^2 for some of the configurations.

    A point's w is v = u / scale, and gradients are by v.
    """

    def __init__(self, objective: Any, linear: tf.Tensor, strength: tf.Tensor, centre: tf.Tensor, scale: tf.Tensor):
        self._objective, self._linear, self._strength, self._centre = objective, linear, strength, centre
        self._scale = scale

    def at(self, v: tf.Tensor) -> Any:
        return self._objective.at(self._scale * v)._replace(w=v)

    def value(self, point: Any) -> tf.Tensor:
        own = self._own(point)
        away = own.w - self._centre
        tilt = self._linear * own.w + self._strength / 2 * away * away
        return self._objective.value_at(own) + tf.reduce_sum(tilt, -1, keepdims=True)

    def gradient(self, point: Any) -> Any:
        """As a point, so that steps along it are combinations."""
        own = self._own(point)
        tilt = self._linear + self._strength * (own.w - self._centre)
        return self.at(self._scale * (self._objective.gradient_at(own) + tilt))

    def _own(self, point: Any) -> Any:
        return point._replace(w=self._scale * point.w)


class State(NamedTuple):
    """Of each configuration and client: points y_k, y_(k-1), x_(k-1), the gradient at x_(k-1) [G, C, d], and [G, C, 1].

    t 0 is a fresh start: the next iteration is a gradient step without momentum.
    """

    y: Any
    before: Any
    x: Any
    gradient: tf.Tensor
    value: tf.Tensor
    t: tf.Tensor
    step: tf.Tensor
    relaxation: tf.Tensor  # sigma
    passes: tf.Tensor  # gradients evaluated
    running: tf.Tensor


class Trial(NamedTuple):
    """x_k, its gradient as a point, y_(k+1) = x_k - s g with its value, and t_k, all for the step s, with its cost."""

    x: Any
    gradient: Any
    new: Any
    value: tf.Tensor
    t: tf.Tensor
    accepted: tf.Tensor
    passes: tf.Tensor


def minimise(
    objective: Any,
    solver: Solver,
    start: tf.Tensor,
    linear: Any,
    strength: Any,
    centre: Any,
    idle: tf.Tensor,
    scale: Any = 1.0,
) -> tuple[tf.Tensor, tf.Tensor]:
    """argmin_u F(u) + <linear, u> + strength / 2 ||u - centre||^2, and the gradients that it took.

    What has converged is left out of the next iterations.

    Args:
        objective: F, with `at`, `value_at` and `gradient_at`.
        start: [G, C, d].
        linear, strength, centre: that broadcast to [G, C, d], the strength to [G, C, 1].
        scale: the descent is in u / scale; broadcasts to [G, C, d].
        idle: [1, C, 1], the clients without examples, who stay at `start`.

    Returns:
        u [G, C, d] and the number of gradients [G, C, 1].
    """
    ones, zeros = tf.ones_like(start), tf.zeros_like(start[..., :1])  # a product with ones has a shape that is known
    tilt = (linear * ones, strength * ones[..., :1], centre * ones, scale * ones)

    def iterate(k: tf.Tensor, state: State) -> tuple[tf.Tensor, State]:
        if start.shape[0] == 1:  # while it goes on, there is none to leave out
            new = _iterate(RegularisedObjective(objective, *tilt), state, solver)
            return k + 1, tf.nest.map_structure(lambda a, b: tf.where(state.running, a, b), new, state)
        chosen = tf.where(tf.reduce_any(state.running, [1, 2]))  # [A, 1], the configurations that go on
        part, mine = (tf.nest.map_structure(lambda a: tf.gather(a, chosen[:, 0]), tree) for tree in (state, tilt))
        new = _iterate(RegularisedObjective(objective, *mine), part, solver)
        kept = tf.nest.map_structure(lambda a, b: tf.where(part.running, a, b), new, part)
        return k + 1, tf.nest.map_structure(lambda a, b: tf.tensor_scatter_nd_update(a, chosen, b), state, kept)

    phi = RegularisedObjective(objective, *tilt)
    y = phi.at(start / tilt[-1])
    state = State(
        y=y, before=y, x=y, gradient=tf.zeros_like(start), value=phi.value(y),
        t=zeros, step=zeros + 1, relaxation=zeros + 1, passes=tf.cast(zeros, tf.float64),
        running=~idle & tf.ones_like(zeros, tf.bool),
    )  # fmt: skip
    _, state = tf.while_loop(
        lambda k, state: tf.reduce_any(state.running), iterate, (0, state), maximum_iterations=solver.most_iterations
    )
    return tilt[-1] * state.y.w, state.passes


def _iterate(phi: RegularisedObjective, state: State, solver: Solver) -> State:
    """One iteration of every configuration and client of the state."""
    step, trial, passes = _accepted(phi, state, state.step / GROWTH)
    moved = trial.new.w - state.y.w
    onward = tf.reduce_sum(trial.gradient.w * moved, -1, keepdims=True) <= 0  # else restart
    turned = tf.reduce_sum(trial.gradient.w * state.gradient, -1, keepdims=True) < 0
    change = tf.abs(trial.value - state.value) / tf.maximum(tf.abs(state.value), 1e-300)
    return State(
        y=trial.new,
        before=tf.nest.map_structure(lambda new, old: tf.where(onward, old, new), trial.new, state.y),
        x=trial.x,
        gradient=trial.gradient.w,
        value=trial.value,
        t=tf.where(onward, trial.t, 0),
        step=step,
        relaxation=tf.where(onward, tf.where(turned, DAMPING * state.relaxation, state.relaxation), 1),
        passes=state.passes + passes,
        running=state.running & ((change >= solver.tolerance) if solver.tolerance else tf.math.is_finite(change)),
    )


def _accepted(phi: RegularisedObjective, state: State, step: tf.Tensor) -> tuple[tf.Tensor, Trial, tf.Tensor]:
    """The first of the steps s, s * SHRINKAGE, ... that is no longer than a step of 1 / L may be, and the gradients."""

    def attempt(factor: tf.Tensor, step: tf.Tensor, trial: Trial, passes: tf.Tensor) -> tuple[Any, ...]:
        shorter = tf.where(trial.accepted, step, factor * step)
        again = _try(phi, state, shorter)
        return tf.constant(SHRINKAGE, step.dtype), shorter, again, passes + tf.where(~trial.accepted, again.passes, 0)

    none = Trial(state.y, state.y, state.y, state.value, state.t, tf.zeros_like(state.running), state.passes * 0)
    _, step, trial, passes = tf.while_loop(  # one body for the first and the shorter ones: half as much to compile
        lambda factor, step, trial, passes: tf.reduce_any(state.running & ~trial.accepted),
        attempt,
        (tf.ones([], step.dtype), step, none, none.passes),
        maximum_iterations=1 + MOST_TRIALS,
    )
    return step, trial, passes


def _try(phi: RegularisedObjective, state: State, step: tf.Tensor) -> Trial:
    """A step from x_k along its gradient g, too long if phi falls by less than s / 2 ||g||^2.

    Where rounding hides that, it is too long if phi already rises again at its end: <grad phi(y_(k+1)), g> < 0, the
    same on quadratics (as the approximate Wolfe conditions of Hager, Zhang, SIAM J. Optim. 2005).
    """
    t = (1 + tf.sqrt(1 + 4 * (state.step / step) * state.t**2)) / 2
    momentum, relaxed = (state.t - 1) / t, state.relaxation * state.t / t
    x = tf.nest.map_structure(
        lambda y, before, x: y + momentum * (y - before) + relaxed * (y - x), state.y, state.before, state.x
    )
    gradient = phi.gradient(x)
    new = tf.nest.map_structure(lambda x, g: x - step * g, x, gradient)
    value, at_x = phi.value(new), phi.value(x)
    fall = step * tf.reduce_sum(gradient.w**2, -1, keepdims=True)
    hidden = fall <= RESOLVED * np.finfo(new.w.dtype.as_numpy_dtype).eps * tf.abs(at_x)
    rises = tf.cond(
        tf.reduce_any(state.running & hidden),
        lambda: tf.reduce_sum(phi.gradient(new).w * gradient.w, -1, keepdims=True) < 0,
        lambda: tf.zeros_like(hidden),
    )
    accepted = ~tf.where(hidden, rises, value > at_x - fall / 2)  # what is not a number ends there
    return Trial(x, gradient, new, value, t, accepted, 1 + tf.cast(hidden, tf.float64))
