"""Adaptive personalised federated learning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms._traits import Personal, PlainSteps
from fedatlas.algorithms.base import Array, Update, bounded
from fedatlas.algorithms.fedavg import FedAvg
from fedatlas.lazy import tf


class Client(NamedTuple):
    """own [G, C, d] is v_i, share [G, C, 1] is alpha_i."""

    own: Array
    share: Array


class Local(NamedTuple):
    """params [G, C, d] is w_i; own and share as in Client."""

    params: Array
    own: Array
    share: Array


@dataclass(frozen=True)
class APFL(PlainSteps, Personal, FedAvg):
    """FedAvg of w beside a model v_i of every client, which is trained for what alpha_i of it add to the rest of w.

    Deng, Kamani, Mahdavi 2020 (arXiv 2003.13461), Algorithm 1. The client uses vbar_i = alpha_i v_i + (1 - alpha_i) w.

    Symbols: w -> params, v_i -> own, alpha_i -> share, at first alpha; eta -> client_lr.
    Differs from the paper: nothing with 1 as server_lr. With `adaptive` 1, alpha_i takes a gradient step in the first
    local step of every round, and stays within [0, 1]; with 0 it stays what it is.
    """

    name = "APFL"
    citation = "Deng, Kamani, Mahdavi 2020, arXiv 2003.13461, Algorithm 1"
    colour = "#19b3e6"

    alpha: Array = bounded(at_least=0.0, at_most=1.0)
    adaptive: Array = bounded(at_least=0.0, at_most=1.0)

    def init_client(self, w0):
        return Client(own=w0, share=self.alpha + 0 * w0[..., :1])

    def start(self, message, client, F):
        return Local(message.params, *client)

    def step(self, local, k, message, client, f):
        w, v, alpha = local
        gradient = f.gradient(mixed(local))
        slope = tf.reduce_sum((v - w) * gradient, -1, keepdims=True)  # of f(vbar) by alpha
        moved = tf.clip_by_value(alpha - self.adaptive * self.client_lr * slope, 0, 1)
        return Local(
            super().step(w, k, message, client, f),
            v - self.client_lr * alpha * gradient,
            tf.where(tf.equal(k, 0), moved, alpha),
        )

    def finish(self, local, k, message, client):
        return Update(local.params - message.params), Client(local.own, local.share)

    def personal_model(self, local, message, client, F):
        return mixed(local)


def mixed(local: Local) -> Array:
    """vbar_i = alpha_i v_i + (1 - alpha_i) w_i, [G, C, d]."""
    return local.share * local.own + (1 - local.share) * local.params
