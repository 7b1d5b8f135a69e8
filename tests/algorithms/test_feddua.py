"""Exact tests of FedDuA and the server optimisers of its paper: rounds by hand, reductions, the minimax step."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from algorithms.quadratics import gradients
from algorithms.states import of_clients, of_server
from simulating import EXAMPLES, grid, params_after, simulate, write_regression

from fedatlas.algorithms import registry
from fedatlas.algorithms._geometry import Geometry, HyperbolicEntropy, Quadratic
from fedatlas.algorithms._mirror_descent import MirrorDescent
from fedatlas.algorithms.scaffold import Client
from fedatlas.federated import engines
from fedatlas.federated.batches import LocalWork

ROUNDS, CLIENTS, D = 5, 4, 6
ADAPTIVE = ["fedexp", "fedexpm", "fedduadagrad", "fedduadam", "fedprox_feddua", "feddua_hypentropy"]
LAST = [f"{name}_last" for name in ("fedexp", "fedexpm", "fedduadagrad", "fedduadam")]
FIXED = ["fedavgm", "fedadagrad", "fedadam", "fedyogi"]
USUAL = {"client_lr": 1.0, "server_lr": 0.3, "beta1": 0.8, "beta2": 0.9, "epsilon": 0.0, "eps_g": 0.0, "width": 0.5}


@pytest.fixture(scope="module", autouse=True)
def in_process():
    engines.install("inprocess", 1)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return write_regression(tmp_path_factory.mktemp("stores") / "equal", [8] * 5)


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


def ratio(a, b):
    return np.divide(a, b, out=np.zeros_like(a), where=b != 0)


def step_by_hand(name, delta, sizes, memory, epsilon, eps_g):
    """The displacement of one round, section 2 and Algorithm 1; memory holds s, v and m of the round before."""
    eta, b1, b2 = (USUAL[key] for key in ("server_lr", "beta1", "beta2"))
    s, v, m = memory
    s = {
        "fedadam": b2 * s + (1 - b2) * delta**2,
        "fedyogi": s - (1 - b2) * delta**2 * np.sign(s - delta**2),
        "fedduadam": b2 * s + (1 - b2) * delta**2,
    }.get(name, s + delta**2)
    if name in ("fedexpm", "fedadam", "fedyogi", "fedduadam"):
        v, m = b1 * v + (1 - b1) * delta, b1 / 2 * m + (1 - b1) / 2 * sizes
    elif name == "fedavgm":
        v = b1 * v + delta
    else:
        v, m = delta, sizes / 2
    along = v if name in ("fedavgm", "fedexp", "fedexpm") else ratio(v, np.sqrt(s) + epsilon)
    if name not in FIXED:
        eta = m / (along @ v + eps_g)
    return eta * along, (s, v, m)


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


def local_models(store, w, client_lr, steps, corrections=0.0):
    """Full-batch local steps from w along the gradients plus these corrections [num_clients, d]."""
    models = np.tile(w, (5, 1))
    for _ in range(steps):
        models = models - client_lr * (gradients(store, models) + corrections)
    return models


def test_fedduadam_with_part_of_the_clients_by_hand(store):
    client_lr, steps, cohort, w = 0.02, 3, 3, np.zeros(7)
    values = {key: np.array([(USUAL | {"client_lr": client_lr})[key]]) for key in grid("fedduadam", [1.0])}
    simulation = simulate(store, "fedduadam", values, work=LocalWork(batch_size=None, steps=steps), cohort=cohort)
    memory, points = (np.zeros(7), np.zeros(7), 0.0), [w]
    for _ in range(4):
        moves = (local_models(store, w, client_lr, steps) - w)[simulation.next_cohort()]
        step, memory = step_by_hand("fedduadam", moves.mean(0), (moves**2).sum(-1).mean(), memory, 0.0, 0.0)
        w = w + step
        points.append(w)
        simulation.advance()
    np.testing.assert_allclose(simulation.measure().params[0], (points[-1] + points[-2]) / 2, atol=1e-11)


def test_scaffold_with_feddua_by_hand(store):
    client_lr, steps, cohort = 0.01, 3, 2
    w, c, controls = np.zeros(7), np.zeros(7), np.zeros((5, 7))
    values = {"client_lr": [client_lr], "eps_g": [0.0], "epsilon": [0.0]}
    work = LocalWork(batch_size=None, steps=steps)
    simulation = simulate(store, "scaffold_feddua", values, work=work, cohort=cohort)
    memory = (np.zeros(7), np.zeros(7), 0.0)
    for _ in range(4):
        chosen = simulation.next_cohort()
        y = local_models(store, w, client_lr, steps, c - controls)[chosen]
        new = controls[chosen] - c + (w - y) / (steps * client_lr)
        sizes = ((y - w) ** 2).sum(-1).mean()
        step, memory = step_by_hand("fedduadagrad", (y - w).mean(0), sizes, memory, 0.0, 0.0)
        w, c = w + step, c + (new - controls[chosen]).sum(0) / 5
        controls[chosen] = new
        simulation.advance()
    state = of_server(simulation)
    np.testing.assert_allclose([state[0], state[-1]], [w, c], atol=1e-10)
    np.testing.assert_allclose(of_clients(simulation)[0], controls, atol=1e-10)
    np.testing.assert_allclose(c, controls.mean(0), atol=1e-12)


def test_what_the_clients_add_can_be_switched_off(store, monkeypatch):
    """FedProx with mu = 0, and SCAFFOLD whose controls stay 0, leave FedDuAdagrad to the bit."""
    values = {name: np.array([value]) for name, value in {"client_lr": 0.02, "eps_g": 0.0, "epsilon": 0.0}.items()}
    options = {"work": LocalWork(batch_size=3, epochs=1), "cohort": 3}
    plain = params_after(simulate(store, "fedduadagrad", values, **options), 3)
    prox = params_after(simulate(store, "fedprox_feddua", values | {"mu": np.array([0.0])}, **options), 3)
    np.testing.assert_array_equal(prox, plain)
    cls = registry()["scaffold_feddua"]
    finish = cls.finish

    def forgetting(self, y, k, message, client):
        update, new = finish(self, y, k, message, client)
        return update._replace(control=tf.zeros_like(y)), Client(tf.zeros_like(y))

    monkeypatch.setattr(cls, "finish", forgetting)
    np.testing.assert_array_equal(params_after(simulate(store, "scaffold_feddua", values, **options), 3), plain)
