"""APFL and APFL with momentum: between FedAvg's model and one of a client's own."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("tensorflow")

from algorithms.own_models import FEDAVG, PLAIN, RATES, constant, own_after
from algorithms.quadratics import SIZES, START, gradients
from algorithms.rounds import steps
from algorithms.states import of_clients, place
from simulating import params_after, simulate

from fedatlas.federated.local_options import LocalOptions


def apfl(alpha, adaptive=0.0):
    return {"client_lr": RATES, "server_lr": constant(1.0), "alpha": constant(alpha), "adaptive": constant(adaptive)}


@pytest.mark.parametrize("alpha", [0.0, 0.4, 1.0])
def test_apfl_has_the_servers_models_of_fedavg(four, alpha):
    found = params_after(simulate(four, "apfl", apfl(alpha), cohort=3, **PLAIN), 4)
    np.testing.assert_array_equal(found, params_after(simulate(four, "fedavg", FEDAVG, cohort=3, **PLAIN), 4))


def test_apfl_between_nothing_of_its_own_and_all_of_it(four):
    """T21: with alpha = 0 a client uses FedAvg's model, with 1 its own."""
    nothing, everything = (simulate(four, "apfl", apfl(alpha), **PLAIN) for alpha in (0.0, 1.0))
    fedavg, local = (
        simulate(four, "fedavg", FEDAVG, **PLAIN),
        simulate(four, "local_only", {"client_lr": RATES}, **PLAIN),
    )
    np.testing.assert_array_equal(own_after(everything, 4), own_after(local, 4))
    params_after(nothing, 4), params_after(fedavg, 4)
    for found, expected in ((nothing, fedavg), (everything, local)):
        losses = [simulation.evaluate_own(["train"])["train", "loss"] for simulation in (found, expected)]
        np.testing.assert_array_equal(*losses)


@pytest.mark.parametrize("adaptive", [0.0, 1.0])
def test_apfl_by_hand(four, adaptive):
    """Two rounds of three full-batch steps; the derivative of f(alpha v + (1 - alpha) w) by v has the factor alpha."""
    rate, alpha = 0.02, np.full((len(SIZES), 1), 0.3)
    server, v = START, np.tile(START, (len(SIZES), 1))
    for _ in range(2):
        w = np.tile(server, (len(SIZES), 1))
        for k in range(3):
            slope = gradients(four, alpha * v + (1 - alpha) * w)
            by_alpha = np.sum((v - w) * slope, 1, keepdims=True)
            new = np.clip(alpha - rate * by_alpha, 0, 1) if adaptive and k == 0 else alpha
            w, v, alpha = w - rate * gradients(four, w), v - rate * alpha * slope, new
        server = w.mean(0)
    values = {"client_lr": [rate], "server_lr": [1.0], "alpha": [0.3], "adaptive": [adaptive]}
    simulation = simulate(four, "apfl", values, start=START, work=steps(3))
    params_after(simulation, 2)
    own, share = of_clients(simulation)
    np.testing.assert_allclose(own, v, rtol=0, atol=1e-12)
    np.testing.assert_allclose(share, alpha, rtol=0, atol=1e-12)
    assert (np.abs(share - 0.3).max() > 1e-5) == bool(adaptive)


def test_apfls_share_stays_between_nothing_and_all(four):
    """Steps of alpha that would leave [0, 1] on both sides."""
    values = {"client_lr": [0.02], "server_lr": [1.0], "alpha": [0.5], "adaptive": [1.0]}
    far = np.array([[5.0, -5, 3, 2], [-4, 4, -4, 1], [9, 9, -9, 0], [-9, 0, 9, 9]])
    simulation = simulate(four, "apfl", values, start=START)
    place(simulation, [START], [far, np.full((4, 1), 0.5)])
    simulation.advance()
    share = of_clients(simulation)[1].ravel()
    slope = np.sum((far - START) * gradients(four, (far + START) / 2), 1)
    np.testing.assert_allclose(share, np.clip(0.5 - 0.02 * slope, 0, 1), atol=1e-12)
    assert share.min() == 0


def test_apfl_with_momentum_is_apfl_where_there_is_none(four):
    momentum = apfl(0.4, adaptive=1.0) | {"momentum": constant(0.0)}
    found = simulate(four, "apfl_momentum", momentum, cohort=3, **PLAIN)
    plain = simulate(four, "apfl", apfl(0.4, adaptive=1.0), cohort=3, **PLAIN)
    np.testing.assert_allclose(params_after(found, 4), params_after(plain, 4), rtol=0, atol=1e-12)
    for field in (0, 1):
        np.testing.assert_allclose(of_clients(found, 1)[field], of_clients(plain, 1)[field], rtol=0, atol=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_apfl_with_momentum_has_fedavgs_and_the_clients_own_models(four, alpha):
    """With the momentum that the engine gives to FedAvg and to Local, which a client keeps too."""
    kept = {**PLAIN, "local": LocalOptions(momentum=0.5, keeps_momentum=True, weight_decay=0.01)}
    found = simulate(four, "apfl_momentum", apfl(alpha) | {"momentum": constant(0.5)}, **PLAIN)
    fedavg, local = simulate(four, "fedavg", FEDAVG, **kept), simulate(four, "local_only", {"client_lr": RATES}, **kept)
    np.testing.assert_allclose(params_after(found, 4), params_after(fedavg, 4), rtol=1e-12)
    params_after(local, 4)
    expected = of_clients(local, 1)[0] if alpha else np.tile(START, (len(SIZES), 1))
    np.testing.assert_allclose(of_clients(found, 1)[0], expected, rtol=1e-12)
