"""Which examples make up the batches of a round.

Each client shuffles its own examples with a stream of its own, derived from the run's seed, the round and the
client's number: the batches do not depend on the algorithm, on who else is in the cohort, or on how it is sharded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast

import tensorflow as tf

from fedatlas.federated.client_reader import Examples
from fedatlas.problems.base import Batch
from fedatlas.structure import NONE


@dataclass(frozen=True)
class LocalWork:
    """How much a client does in a round: either epochs over its examples or a number of steps.

    An epoch ends with a smaller batch where the batch size does not divide the client's examples, with `across` only
    the last one: then its batches go on into the next epoch. Steps cycle through successive shuffles of the examples
    with full batches. `batch_size` None is the full batch, unshuffled.
    """

    batch_size: int | None
    epochs: int | None = None
    steps: int | None = None
    across: bool = False

    @classmethod
    def of(
        cls,
        batch_size: int | Literal["full"],
        local_epochs: int | None = None,
        local_steps: int | None = None,
        batches: Literal["across_epochs"] | None = None,
    ) -> LocalWork:
        size = None if batch_size == "full" else batch_size
        return cls(size, local_epochs, local_steps, across=batches == "across_epochs")

    def most_steps(self, most_examples: Any) -> Any:
        """The local steps of a client with this many examples, an int or a tensor."""
        if self.steps is not None:
            return self.steps
        epochs = self.shuffles(most_examples)
        if self.batch_size is None:
            return epochs
        if self.across:
            return -(-epochs * most_examples // self.batch_size)
        return epochs * -(-most_examples // self.batch_size)

    def shuffles(self, fewest: Any) -> Any:
        """How often a client with this many examples, or more, shuffles them."""
        if self.steps is not None:
            return -(-self.steps * (self.batch_size or fewest) // fewest)
        assert self.epochs is not None, "neither steps nor epochs are given"
        return self.epochs


class Sizes(NamedTuple):
    """The numbers of examples of the smallest and the largest of all clients that take part."""

    fewest: int
    most: int


@dataclass(frozen=True)
class Streams:
    """The streams of randomness of a round's clients [C], one each; `seed` is that of the run's batches.

    TensorFlow's own choice of a generator is Philox. To ask for it by name would trace some twenty operations for each
    draw in place of one.
    """

    clients: tf.Tensor
    seed: int
    round_number: tf.Tensor

    def of(self, client: tf.Tensor) -> tf.Tensor:
        """The seed of a client's stream, [2]."""
        return tf.random.fold_in(tf.stack([self.seed, self.round_number]), client)

    def of_steps(self, steps: tf.Tensor) -> tf.Tensor:
        """A seed for each local step of each client, [K, C, 2]."""

        def keys(client: tf.Tensor) -> tf.Tensor:
            stream = self.of(client)
            return tf.map_fn(lambda k: tf.random.fold_in(stream, k), tf.range(steps))

        return tf.transpose(tf.map_fn(keys, self.clients), [1, 0, 2])


def select_batches(
    work: LocalWork, examples: Examples, streams: Streams, of: Sizes, keyed: bool = False, numbered: bool = False
) -> Batch | None:
    """The batches of a round with a leading axis of steps: x [K, C, B, ...], y [K, C, B, ...], mask [K, C, B].

    A client that has fewer steps than others has empty ones at the end. With full batches there are none to select.

    Args:
        of: the sizes of all clients, of whom these are some: what a client draws does not depend on the others here.
        keyed, numbered: whether the batches have keys [K, C, 2], and numbers [K, C, B].
    """
    if work.batch_size is None:
        return None
    positions = (_stream_positions if work.steps or work.across else _epoch_positions)(work, examples)
    orders = _shuffle(examples, streams, work.shuffles(of.fewest), of.most)  # [C, shuffles * N]
    inside = positions >= 0
    chosen = tf.gather(orders, tf.maximum(positions, 0), batch_dims=1)  # [C, K, B], an example's number
    batches = _gather(examples, chosen, inside)
    return batches._replace(
        key=streams.of_steps(tf.shape(positions)[1]) if keyed else NONE,
        numbers=tf.transpose(chosen, [1, 0, 2]) if numbered else NONE,
    )


def whole(examples: Examples) -> Batch:
    """All examples of each client as one batch: x [C, N, ...], y [C, N, ...], mask [C, N]."""
    if examples.rows.shape == [1, examples.x.shape[0]]:  # the table is that of one client, in its order
        return Batch(examples.x[None], examples.y[None], _present(examples))
    return Batch(tf.gather(examples.x, examples.rows), tf.gather(examples.y, examples.rows), _present(examples))


def narrowed(examples: Examples) -> Examples:
    """The same, filled up to no more than the largest of these clients."""
    return examples._replace(rows=examples.rows[:, : tf.maximum(tf.reduce_max(examples.counts), 1)])


def _places(examples: Examples) -> Any:
    """N, an int where it is known before the computation runs."""
    return examples.rows.shape[1] or tf.shape(examples.rows)[1]


def _present(examples: Examples) -> tf.Tensor:
    return tf.sequence_mask(examples.counts, _places(examples))


def _shuffle(examples: Examples, streams: Streams, shuffles: int, most: int) -> tf.Tensor:
    """`shuffles` permutations of each client's examples, one after another: [C, shuffles * N]; padding comes last."""

    def keys(client: tf.Tensor) -> tf.Tensor:
        return tf.random.stateless_uniform([shuffles, most], streams.of(client))

    if streams.clients.shape[0] == 1:
        uniform = keys(streams.clients[0])[None]  # a loop would cost more than what it does
    else:
        uniform = tf.map_fn(keys, streams.clients, fn_output_signature=tf.float32)
    absent = tf.logical_not(_present(examples))[:, None, :]
    places = _places(examples)
    orders = tf.argsort(uniform[..., :places] + 2 * tf.cast(absent, tf.float32), stable=True)
    return tf.reshape(orders, [-1, shuffles * places])


def _epoch_positions(work: LocalWork, examples: Examples) -> tf.Tensor:
    """Positions [C, K, B] in the row of shuffles, -1 where a batch has no example left; a client's steps come first."""
    most, size = _places(examples), cast(int, work.batch_size)
    size = min(size, most) if isinstance(most, int) else tf.minimum(size, most)
    counts = examples.counts[:, None, None]
    per_epoch = tf.maximum(-(-counts // size), 1)
    steps = tf.range(work.most_steps(most))[None, :, None]
    within = steps % per_epoch * size + tf.range(size)
    inside = (steps // per_epoch < work.epochs) & (within < counts)
    return tf.where(inside, within + steps // per_epoch * most, -1)


def _stream_positions(work: LocalWork, examples: Examples) -> tf.Tensor:
    """The same for batches that go on from one shuffle into the next, until the steps or the epochs are done."""
    most, counts = _places(examples), examples.counts[:, None, None]
    steps, size = work.most_steps(most), cast(int, work.batch_size)
    stream = tf.reshape(tf.range(steps * size), [1, steps, size])
    positions = stream // tf.maximum(counts, 1) * most + stream % tf.maximum(counts, 1)
    there = counts > 0 if work.epochs is None else stream < work.epochs * counts
    return tf.where(there, positions, -1)


def _gather(examples: Examples, chosen: tf.Tensor, inside: tf.Tensor) -> Batch:
    """The chosen examples with the axis of steps in front, so that the batch of a step is contiguous."""
    rows = tf.transpose(tf.gather(examples.rows, chosen, batch_dims=1), [1, 0, 2])
    x, y = (tf.gather(array, rows) for array in (examples.x, examples.y))
    return Batch(x, y, tf.transpose(inside, [1, 0, 2]))
