"""The server as mirror descent: the one form of FedOpt, FedExP, FedDuA and their momentum variants.

The mean displacement of the clients, bar Delta, stands for the negative of a gradient. A round of the server is

    s   = accumulate(s, bar Delta)                     what the preconditioner remembers
    v   = smooth(v, bar Delta)                         the direction
    m   = 1/2 smooth(m, mean of ||Delta_i||^2)         what <v, w* - w> is at least
    psi = geometry(s)                                  the distance-generating function
    w   = grad psi^-1(grad psi(w) + rate(psi, w, v, m) v)

(Takakura, Liew, Hasegawa 2025, arXiv 2505.11126, section 3 and Algorithm 1). As long as an algorithm does not name
another, s is nothing, v = bar Delta and psi = 1/2 ||.||^2. `FixedRate` is for those whose rate is a hyper-parameter.
The functions at the end of this module are the usual choices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from fedatlas.algorithms import base
from fedatlas.algorithms._geometry import Geometry, Quadratic, inner
from fedatlas.algorithms._steps import sgd_step
from fedatlas.algorithms._traits import ServerMetrics
from fedatlas.algorithms.base import Array, positive
from fedatlas.lazy import tf


class Server(NamedTuple):
    """params w_t, previous w_{t-1}, squares s_t, direction v_t, each [G, 1, d] or () if never read.

    bound m_t and rate, the last step eta_g, are [G, 1, 1].
    """

    params: Any
    previous: Any
    squares: Any
    direction: Any
    bound: Array
    rate: Array


class Update(NamedTuple):
    """Delta_i [G, C, d] and ||Delta_i||^2 [G, C, 1], which only a server that sees each client could do without."""

    delta: Array
    squared_norm: Array


@dataclass(frozen=True)
class MirrorDescent(ServerMetrics):
    """Local SGD, and mirror descent at the server.

    Class attributes:
        averages: the reported model is the mean of the last two; training goes on from the last.
    """

    averages: ClassVar[bool] = False
    server_names: ClassVar = ("server_rate",)

    client_lr: Array = positive()

    def accumulate(self, squares: Any, delta: Array) -> Any:
        """The next squares s, at first 0; () where there is no preconditioner."""
        return ()

    def smooth(self, old: Array, new: Array) -> Array:
        """The next running average, at first 0."""
        return new

    def geometry(self, squares: Any) -> Geometry:
        """psi of this round."""
        return Quadratic(1.0)

    def rate(self, psi: Geometry, w: Array, v: Array, m: Array) -> Array:
        """The step eta_g, [G, 1, 1]."""
        raise NotImplementedError

    def init_server(self, w0):
        zeros = 0 * w0
        return self._read_later(Server(w0, w0, self.accumulate(zeros, zeros), zeros, zeros[..., :1], zeros[..., :1]))

    def broadcast(self, server, coin):
        return base.Server(server.params)

    def step(self, w, k, message, client, f):
        return sgd_step(w, self.client_lr, f)

    def finish(self, w, k, message, client):
        delta = w - message.params
        return Update(delta, inner(delta, delta)), client

    def update_server(self, server, mean, participation):
        squares = self.accumulate(server.squares, mean.delta)
        v = self.smooth(server.direction, mean.delta)
        m = self.smooth(server.bound, mean.squared_norm) / 2
        psi = self.geometry(squares)
        rate = self.rate(psi, server.params, v, m)
        params = psi.moved(server.params, rate * v)
        return self._read_later(Server(params, server.params, squares, v, m, rate + 0 * m))

    def server_metrics(self, server):
        return {"server_rate": server.rate}

    def model(self, server):
        return (server.params + server.previous) / 2 if self.averages else server.params

    def _read_later(self, server: Server) -> Server:
        """Without the vectors that no later round reads."""
        with_momentum = type(self).smooth is not MirrorDescent.smooth
        return server._replace(
            previous=server.previous if self.averages else (), direction=server.direction if with_momentum else ()
        )


@dataclass(frozen=True)
class FixedRate(MirrorDescent):
    """Mirror descent whose step is a hyper-parameter."""

    server_lr: Array = positive()

    def rate(self, psi, w, v, m):
        return self.server_lr


def heavy_ball(old: Array, new: Array, beta1: Array) -> Array:
    """`smooth`: beta1 old + new."""
    return beta1 * old + new


def moving_average(old: Array, new: Array, beta1: Array) -> Array:
    """`smooth`: beta1 old + (1 - beta1) new."""
    return beta1 * old + (1 - beta1) * new


def adagrad(squares: Array, delta: Array) -> Array:
    """`accumulate`: s + Delta^2."""
    return squares + delta**2


def adam(squares: Array, delta: Array, beta2: Array) -> Array:
    """`accumulate`: beta2 s + (1 - beta2) Delta^2."""
    return beta2 * squares + (1 - beta2) * delta**2


def yogi(squares: Array, delta: Array, beta2: Array) -> Array:
    """`accumulate`: s - (1 - beta2) Delta^2 sign(s - Delta^2)."""
    return squares - (1 - beta2) * delta**2 * tf.sign(squares - delta**2)


def diagonal(squares: Array, epsilon: Array) -> Geometry:
    """`geometry`: psi = 1/2 w'G w, G = diag(sqrt(s) + epsilon)."""
    return Quadratic(tf.sqrt(squares) + epsilon)


def minimax(psi: Geometry, w: Array, v: Array, m: Array, eps_g: Array) -> Array:
    """`rate`: the step of FedExP and FedDuA, after which <v, w_new - w> = m if eps_g = 0."""
    return psi.rate(w, v, m, eps_g)
