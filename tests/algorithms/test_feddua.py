"""Exact tests of FedDuA and the server optimisers of its paper: rounds by hand, reductions, the minimax step."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from algorithms.feddua_by_hand import FIXED, USUAL, step_by_hand
from simulating import EXAMPLES

from fedatlas.algorithms import registry
from fedatlas.algorithms._geometry import Geometry, HyperbolicEntropy, Quadratic
from fedatlas.algorithms._mirror_descent import MirrorDescent
from fedatlas.federated import engines

ROUNDS, CLIENTS, D = 5, 4, 6
ADAPTIVE = ["fedexp", "fedexpm", "fedduadagrad", "fedduadam", "fedprox_feddua", "feddua_hypentropy"]
LAST = [f"{name}_last" for name in ("fedexp", "fedexpm", "fedduadagrad", "fedduadam")]


@pytest.fixture(scope="module", autouse=True)
def in_process():
    engines.install("inprocess", 1)


@pytest.fixture(scope="module")
def deltas():
    """What the clients send in each round, [rounds, clients, d]; none of them ever moves the last coordinate."""
    rng = np.random.default_rng(3)
    moves = 0.3 * rng.normal(size=D) + rng.normal(size=(ROUNDS, CLIENTS, D)) * np.geomspace(1, 1e-3, D)
    moves[..., -1] = 0
    return moves


def made(name, **values):
    """The algorithm in one configuration."""
    cls = registry()[name]
    chosen = {key: (EXAMPLES | USUAL | values)[key] for key in cls.hyperparameters()}
    return cls(**{key: tf.constant(value, tf.float64)[None, None, None] for key, value in chosen.items()})


def servers(name, deltas, start=None, **values):
    """The server's states, that before the first round first, when the clients send these displacements."""
    algorithm = made(name, **values)
    w0 = np.zeros(deltas.shape[-1]) if start is None else start
    states = [algorithm.init_server(tf.constant(w0)[None, None])]
    for moves in deltas:
        message = algorithm.broadcast(states[-1], 0.0)
        update, _ = algorithm.finish(message.params + moves[None], 1.0, message, ())
        mean = tf.nest.map_structure(lambda u: tf.reduce_mean(u, 1, keepdims=True), update)
        states.append(algorithm.update_server(states[-1], mean, 1.0))
    return algorithm, states


def path(name, deltas, **values):
    """w_0, w_1, ... [rounds + 1, d]."""
    return np.array([state.params[0, 0] for state in servers(name, deltas, **values)[1]])


@pytest.mark.parametrize(("epsilon", "eps_g"), [(0.0, 0.0), (0.02, 0.5)])
@pytest.mark.parametrize("name", [*FIXED, "fedexp", "fedexpm", "fedduadagrad", "fedduadam"])
def test_rounds_by_hand(deltas, name, epsilon, eps_g):
    w, memory, expected = np.ones(D), (np.zeros(D), np.zeros(D), 0.0), [np.ones(D)]
    for moves in deltas:
        step, memory = step_by_hand(name, moves.mean(0), (moves**2).sum(-1).mean(), memory, epsilon, eps_g)
        w = w + step
        expected.append(w)
    found = path(name, deltas, start=np.ones(D), epsilon=epsilon, eps_g=eps_g)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", ADAPTIVE)
def test_the_step_gains_exactly_what_the_clients_promise(deltas, name):
    """<v, w+ - w> = m, by which the step is minimax optimal (Theorem 4.1)."""
    beta1 = USUAL["beta1"] if name in ("fedexpm", "fedduadam") else 0.0
    found, v, m = path(name, deltas, start=np.linspace(-1, 1, D)), np.zeros(D), 0.0
    for moves, old, new in zip(deltas, found[:-1], found[1:], strict=True):
        v = beta1 * v + (1 - beta1) * moves.mean(0)
        m = beta1 / 2 * m + (1 - beta1) / 2 * (moves**2).sum(-1).mean()
        assert v @ (new - old) == pytest.approx(m, rel=1e-12)


@pytest.mark.parametrize("name", ["fedduadagrad", "fedduadam"])
def test_the_first_step_of_feddua_is_along_the_signs(deltas, name):
    """All betas cancel: sign(Delta) m / ||Delta||_1."""
    delta, m = deltas[0].mean(0), (deltas[0] ** 2).sum(-1).mean() / 2
    expected = np.sign(delta) * m / np.abs(delta).sum()
    np.testing.assert_allclose(path(name, deltas[:1])[1], expected, rtol=1e-12)


def test_the_first_step_of_fedadagrad_and_of_fedadam_without_memory(deltas):
    delta, epsilon = deltas[0].mean(0), 0.1
    expected = USUAL["server_lr"] * delta / (np.abs(delta) + epsilon)
    np.testing.assert_allclose(path("fedadagrad", deltas[:1], epsilon=epsilon)[1], expected, rtol=1e-12)
    np.testing.assert_allclose(
        path("fedadam", deltas[:1], epsilon=epsilon, beta1=0.0, beta2=0.0)[1], expected, rtol=1e-12
    )
    yogi, adam = (path(name, deltas[:1], epsilon=epsilon)[1] for name in ("fedyogi", "fedadam"))
    np.testing.assert_array_equal(yogi, adam)


@pytest.mark.parametrize(("feddua", "plain"), [("fedduadagrad", "fedexp"), ("fedduadam", "fedexpm")])
def test_with_one_scale_for_all_coordinates_feddua_is_fedexp(deltas, feddua, plain):
    """epsilon far above sqrt(s): then G is a multiple of the identity, and of no scale does FedDuA depend."""
    np.testing.assert_allclose(path(feddua, deltas, epsilon=1e9), path(plain, deltas), atol=1e-7)
    assert np.abs(path(feddua, deltas) - path(plain, deltas)).max() > 1e-2


def test_momentum_with_no_memory_is_none(deltas):
    np.testing.assert_array_equal(path("fedexpm", deltas, beta1=0.0), path("fedexp", deltas))
    averaged = np.cumsum(deltas.mean(1), 0) * USUAL["server_lr"]
    np.testing.assert_allclose(path("fedavgm", deltas, beta1=0.0)[1:], averaged, atol=1e-14)


def test_clients_that_agree_get_half_of_their_step(deltas):
    """Without the original's max(1, .)."""
    alike = np.repeat(deltas[:1, :1], CLIENTS, axis=1)
    np.testing.assert_allclose(path("fedexp", alike)[1], alike[0, 0] / 2, rtol=1e-15)


def test_a_server_that_hears_nothing_new_stays(deltas):
    for name in ADAPTIVE:
        silent = np.zeros_like(deltas)
        np.testing.assert_array_equal(path(name, silent, start=np.zeros(D)), np.zeros((ROUNDS + 1, D)))


@pytest.mark.parametrize("name", [*ADAPTIVE, *FIXED, *LAST])
def test_the_reported_model(deltas, name):
    algorithm, states = servers(name, deltas, start=np.ones(D))
    models = np.array([algorithm.model(state)[0, 0] for state in states])
    params = np.array([state.params[0, 0] for state in states])
    np.testing.assert_array_equal(models[0], np.ones(D))
    if name in ADAPTIVE:
        np.testing.assert_allclose(models[1:], (params[1:] + params[:-1]) / 2, atol=1e-15)
    else:
        np.testing.assert_array_equal(models, params)


@pytest.mark.parametrize("name", LAST)
def test_what_is_reported_changes_nothing_of_the_steps(deltas, name):
    averaged = servers(name.removesuffix("_last"), deltas)[1]
    for found, expected in zip(servers(name, deltas)[1], averaged, strict=True):
        np.testing.assert_array_equal(found.params, expected.params)
        np.testing.assert_array_equal(found.rate, expected.rate)


class Power(Geometry):
    """psi(w) = 1/p sum |w_k|^p."""

    def __init__(self, p):
        self.p = p

    def mirror(self, w):
        return tf.sign(w) * tf.abs(w) ** (self.p - 1)

    def inverse(self, theta):
        return tf.sign(theta) * tf.abs(theta) ** (1 / (self.p - 1))


def scalars(*values):
    return tf.constant(values, tf.float64)[:, None, None]


@pytest.mark.parametrize("eps_g", [0.0, 0.3])
def test_the_root_is_the_closed_form_of_a_quadratic_whatever_the_scales(deltas, eps_g):
    """Configurations of very different scales side by side."""
    v, scales = tf.constant(deltas[0, :1]), scalars(1e-6, 1.0, 1e6)
    quadratic = Quadratic(scales * tf.constant(np.geomspace(1, 100, D)))
    w = tf.constant(np.linspace(-1, 1, D))[None, None]
    closed = quadratic.rate(w, v, scalars(0.7, 0.7, 0.7), eps_g)
    np.testing.assert_allclose(Geometry.rate(quadratic, w, v, scalars(0.7, 0.7, 0.7), eps_g), closed, rtol=1e-9)


def test_a_step_does_not_depend_on_the_scale_of_the_preconditioner(deltas):
    v, w, gain = tf.constant(deltas[0, :1])[None], tf.zeros([1, 1, D], tf.float64), scalars(0.7)
    steps = []
    for scale in (1.0, 1e-5, 3e4):
        quadratic = Quadratic(scale * tf.constant(np.geomspace(1, 100, D)))
        steps.append(quadratic.moved(w, quadratic.rate(w, v, gain, 0.0) * v))
    np.testing.assert_allclose(steps[1], steps[0], rtol=1e-12)
    np.testing.assert_allclose(steps[2], steps[0], rtol=1e-12)


@pytest.mark.parametrize("p", [1.5, 2.0, 3.0])
def test_the_step_of_a_power_from_zero(deltas, p):
    """h(eta) = eta^(q - 1) ||v||_q^q with 1/p + 1/q = 1."""
    v, m, q = deltas[0, 0], np.array([1e-3, 0.7, 40.0]), p / (p - 1)
    expected = (m / (np.abs(v) ** q).sum()) ** (1 / (q - 1))
    found = Power(p).rate(tf.zeros([1, 1, D], tf.float64), tf.constant(v)[None, None], scalars(*m), 0.0)
    np.testing.assert_allclose(np.ravel(found), expected, rtol=1e-9)


def test_the_step_of_the_hyperbolic_entropy():
    """In one dimension width sinh(asinh(w / width) + eta v) - w = m / v; wide, it is quadratic."""
    w, v, m, width = 0.4, -0.2, 0.7, 0.5
    expected = (np.arcsinh((w + m / v) / width) - np.arcsinh(w / width)) / v
    found = HyperbolicEntropy(scalars(width)).rate(scalars(w), scalars(v), scalars(m), 0.0)
    assert float(found[0, 0, 0]) == pytest.approx(expected, rel=1e-12)


def test_a_wide_entropy_is_fedexp(deltas):
    np.testing.assert_allclose(path("feddua_hypentropy", deltas, width=1e5), path("fedexp", deltas), atol=1e-8)
    assert np.abs(path("feddua_hypentropy", deltas) - path("fedexp", deltas)).max() > 1e-2


def test_every_server_optimiser_is_tested_here():
    here = {name for name, cls in registry().items() if issubclass(cls, MirrorDescent)}
    assert here == {*ADAPTIVE, *FIXED, *LAST, "scaffold_feddua"}
