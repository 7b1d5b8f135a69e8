"""The solution of the pooled problem, by accelerated proximal gradient with restarts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms._traits import Composite
from fedatlas.algorithms.base import Array, positive
from fedatlas.lazy import tf


class State(NamedTuple):
    """params [G, 1, d] is x_k, ahead [G, 1, d] the extrapolated point y_(k+1), inertia [G, 1, 1] is t_(k+1)."""

    params: Array
    ahead: Array
    inertia: Array


@dataclass(frozen=True)
class FISTA(Composite):
    """FISTA on the examples of all training clients together; with full batches a round is one deterministic step.

    Beck, Teboulle, SIAM J. Imaging Sci. 2009, section 4 (constant step size), restarted where the step goes against
    the momentum (O'Donoghue, Candes, Found. Comput. Math. 2015, section 3.2, gradient scheme): the "optimum" of Yuan,
    Zaheer, Reddi, ICML 2021 (arXiv 2011.08474), section 5.2.

    Symbols: x -> params, y -> ahead, t -> inertia, 1/L -> client_lr, g -> penalty.
    Differs from the paper: it says "the deterministic solver on centralized data", and not which.
    """

    name = "FISTA"
    citation = "Beck, Teboulle, SIAM J. Imaging Sci. 2009; O'Donoghue, Candès, Found. Comput. Math. 2015"
    colour = "#3f6212"
    data = "pooled"

    client_lr: Array = positive()

    def init_server(self, w0):
        return State(params=w0, ahead=w0, inertia=1 + 0 * w0[..., :1])

    def start(self, message, client, F):
        return message

    def step(self, local, k, message, client, f):
        x, y, t = local
        new = self.penalty.prox(y - self.client_lr * f.gradient(y), self.client_lr)
        longer = (1 + tf.sqrt(1 + 4 * t * t)) / 2
        restart = tf.reduce_sum((y - new) * (new - x), -1, keepdims=True) > 0
        ahead = tf.where(restart, new, new + (t - 1) / longer * (new - x))
        return State(new, ahead, tf.where(restart, tf.ones_like(t), longer))

    def finish(self, local, k, message, client):
        return local, client

    def update_server(self, server, mean, participation):
        return mean  # of one client
