"""The local work of a chunk of clients, vectorised over configurations and clients.

This is the only loop over local steps in the atlas.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow as tf

from fedatlas.algorithms import Algorithm, OwnSteps
from fedatlas.federated.local_options import GradientTransform, LocalOptions
from fedatlas.federated.objectives import Objective, widened
from fedatlas.federated.tracing import structure_of
from fedatlas.problems.base import Batch
from fedatlas.structure import NONE, absent


class Steps(NamedTuple):
    """The local steps of a chunk of clients in a round.

    batches: with a leading axis of steps; none where every step uses all examples.
    most: as many as a client takes at most; those after the last that has an example are left out.
    """

    batches: Batch | None
    most: int
    options: LocalOptions


class WithMomentum(NamedTuple):
    """The persistent state of a client that keeps its momentum: the algorithm's, and the velocity [G, C, d]."""

    state: Any
    velocity: tf.Tensor


def without_momentum(states: Any) -> Any:
    """The algorithm's part of the clients' states."""
    return states.state if isinstance(states, WithMomentum) else states


def with_state(states: Any, new: Any) -> Any:
    """The clients' states with another part of the algorithm's."""
    return states._replace(state=new) if isinstance(states, WithMomentum) else new


class Progress(NamedTuple):
    """Where local work is.

    local: [G, C, ...], the local iterates.
    k: [1 or G, C, 1], the steps done.
    gradients: [G, 1, 1], evaluated so far.
    velocity: [G, C, d], that of the momentum; NONE without one.
    """

    local: Any
    k: tf.Tensor
    gradients: tf.Tensor
    velocity: Any = NONE


class ShardSums(NamedTuple):
    """What a shard of clients adds up to; the mean update is `update` / `weight`.

    update: a structure of [G, 1, ...], the weighted sum of the clients' updates.
    weight: [G, 1, 1], the sum of their weights; a client whose update is not finite has none.
    gradients: [G, 1, 1], the number of examples whose gradient was evaluated.
    """

    update: Any
    weight: tf.Tensor
    gradients: tf.Tensor


def train_chunk(
    algorithm: Algorithm, message: Any, client: Any, F: Objective, steps: Steps, weights: tf.Tensor
) -> tuple[ShardSums, Any]:
    """Trains a chunk of clients for a round.

    Args:
        message: what the server sent, a structure of [G, 1, ...].
        client: the persistent states of the chunk, a structure of [G, C, ...], or ().
        F: over all examples of each client.
        weights: [C], each client's weight in the mean; 0 for one that is not there.

    Returns:
        What the chunk adds to the round, and the clients' new states.
    """
    dtype, before, client = weights.dtype, client, without_momentum(client)
    begun = begin(algorithm, message, client, F, dtype)
    if isinstance(before, WithMomentum):
        begun = begun._replace(velocity=before.velocity)
    done = take_steps(algorithm, message, client, F, steps, begun) if steps.most else begun
    update, state = algorithm.finish(done.local, done.k, message, client)
    if isinstance(before, WithMomentum):
        state = WithMomentum(state, done.velocity)
    finite = _all_finite(update)  # [G, C, 1]
    weights = tf.where(finite, weights[None, :, None], 0)
    total = tf.nest.map_structure(lambda u: tf.reduce_sum(tf.where(finite, u, 0) * weights, 1, keepdims=True), update)
    state = tf.nest.map_structure(lambda new, old: tf.where(finite, new, old), state, before)
    return ShardSums(total, tf.reduce_sum(weights, 1, keepdims=True), done.gradients), state


def begin(algorithm: Algorithm, message: Any, client: Any, F: Objective, dtype: Any) -> Progress:
    """Before the first local step."""
    start = tf.nest.map_structure(lambda a: widened(a, F.clients), algorithm.start(message, client, F))
    gradients = tf.zeros([tf.nest.flatten(start)[0].shape[0], 1, 1], tf.float64) + _examples_of(F, True)
    return Progress(start, tf.zeros([1, F.clients, 1], dtype), gradients)


def take_steps(
    algorithm: Algorithm, message: Any, client: Any, F: Objective, steps: Steps, begun: Progress
) -> Progress:
    """After the last local step."""
    batches, most = steps.batches, steps.most
    if batches is not None:
        most = tf.reduce_sum(tf.cast(tf.reduce_any(batches.mask, [1, 2]), tf.int32))
    local, k, gradients, velocity = begun
    limit = tf.cast(most, k.dtype)  # [] or [G, 1, 1]
    if isinstance(algorithm, OwnSteps):
        limit = algorithm.local_steps(message, limit)
    if steps.options.momentum and absent(velocity):
        velocity = F.at_rest(tf.nest.flatten(local)[0].shape[0], k.dtype)

    def objective(i, transform):
        if batches is None:
            return F.again(transform)
        return F.on(steps.options.augmented(tf.nest.map_structure(lambda a: tf.gather(a, i), batches)), transform)

    def step(i, progress):
        transform = GradientTransform(steps.options, progress.velocity)
        f = objective(i, transform)
        before = progress.local, progress.velocity
        after = algorithm.step(progress.local, progress.k, message, client, f), transform.velocity
        active = (f.examples > 0) & (progress.k < limit)
        local, velocity = tf.nest.map_structure(lambda new, old: tf.where(_deep(active, new), new, old), after, before)
        k, counted = progress.k + tf.cast(active, progress.k.dtype), progress.gradients + _examples_of(f, active)
        return i + 1, Progress(local, k, counted, velocity)

    most = tf.cast(tf.reduce_max(limit), tf.int32)
    k = tf.broadcast_to(k, tf.shape(k + limit))
    begun = Progress(local, k, gradients, velocity)
    return tf.while_loop(lambda i, _: i < most, step, (tf.constant(0), begun))[1]


def _deep(flags: tf.Tensor, array: tf.Tensor) -> tf.Tensor:
    """Flags [G, C, 1] for an array [G, C, ...] of any rank."""
    return tf.reshape(flags, [*flags.shape[:2], *(1 for _ in array.shape[2:])]) if array.shape.rank > 3 else flags


def _examples_of(f: Objective, active: Any) -> tf.Tensor:
    """The gradients of single examples that an objective has evaluated for all its clients, [G or 1, 1, 1]."""
    return tf.reduce_sum(f.gradients * f.examples * tf.cast(active, tf.float64), 1, keepdims=True)


def one_after_another(
    train: Callable[..., tuple[ShardSums, Any]], groups: int, arguments: Any
) -> tuple[ShardSums, Any]:
    """`train` on one group of configurations after another, and its results for all of them.

    Args:
        arguments: a structure of [G, ...].
    """

    def split(array: tf.Tensor) -> tf.Tensor:
        return tf.reshape(array, [groups, array.shape[0] // groups, *array.shape[1:]])

    def join(array: tf.Tensor) -> tf.Tensor:
        return tf.reshape(array, [-1, *array.shape[2:]])

    grouped = tf.nest.map_structure(split, arguments)
    once = tf.function(train, autograph=False)
    signature = structure_of(once, *tf.nest.map_structure(lambda a: a[0], grouped))
    return tf.nest.map_structure(join, tf.map_fn(lambda group: once(*group), grouped, fn_output_signature=signature))


def _all_finite(update: Any) -> tf.Tensor:
    leaves = [tf.reduce_all(tf.math.is_finite(leaf), -1, keepdims=True) for leaf in tf.nest.flatten(update)]
    finite = leaves[0]
    for leaf in leaves[1:]:
        finite = finite & leaf
    return finite
