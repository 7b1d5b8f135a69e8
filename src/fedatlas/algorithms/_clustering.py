"""Groups of clients by the directions of their updates."""

from __future__ import annotations

from fedatlas.algorithms.base import Array
from fedatlas.lazy import tf


def cosine_distances(updates: Array) -> Array:
    """1 - cos(U_s, U_t) for the rows of updates [T, d], [T, T]; 1 beside an update that is zero."""
    unit = tf.math.divide_no_nan(updates, tf.norm(updates, axis=-1, keepdims=True))
    return 1 - tf.matmul(unit, unit, transpose_b=True)


def bisected(clusters: Array, distances: Array, divided: Array) -> Array:
    """The clusters after some of them were split in two, [T].

    Args:
        clusters: the number of each client's cluster, which is that of one of its clients; [T].
        distances: between the clients, [T, T].
        divided: by the clusters' numbers, whether each is split; [T].
    """
    clients = tf.range(tf.shape(clusters)[0])

    def split(clusters, divided):
        which = tf.argmax(tf.cast(divided, tf.int32), output_type=tf.int32)
        second = second_half(distances, tf.equal(clusters, which))
        name = tf.argmax(tf.cast(second, tf.int32), output_type=tf.int32)  # its first client
        return tf.where(second, name, clusters), divided & tf.not_equal(clients, which)

    return tf.while_loop(lambda _, divided: tf.reduce_any(divided), split, (clusters, divided))[0]


def second_half(distances: Array, members: Array) -> Array:
    """Which members are not with the first of them, when they are merged by complete linkage into two groups; [T].

    Args:
        distances: symmetric, [T, T].
        members: who is to be grouped, at least two of them; [T].
    """
    number = tf.shape(members)[0]
    places = tf.range(number)
    pairs = members[:, None] & members[None, :] & tf.not_equal(places[:, None], places[None, :])
    infinite = tf.constant(float("inf"), distances.dtype)

    def merge(distances, groups):
        nearest = tf.argmin(tf.reshape(distances, [-1]), output_type=tf.int32)
        first, second = nearest // number, nearest % number
        kept, gone = tf.equal(places, first), tf.equal(places, second)
        farthest = tf.maximum(distances[first], distances[second])
        distances = tf.where(kept[:, None], farthest[None, :], distances)
        distances = tf.where(kept[None, :], farthest[:, None], distances)
        distances = tf.where(gone[:, None] | gone[None, :], infinite, distances)
        return distances, tf.where(tf.equal(groups, second), first, groups)

    merges = tf.reduce_sum(tf.cast(members, tf.int32)) - 2
    state = tf.where(pairs, distances, infinite), places
    _, groups = tf.while_loop(lambda *_: True, merge, state, maximum_iterations=merges)
    first = tf.argmax(tf.cast(members, tf.int32), output_type=tf.int32)
    return members & tf.not_equal(groups, groups[first])
