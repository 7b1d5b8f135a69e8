"""Exact tests of what FedEM is compared with: models of the clients' own, with and without a server's."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("tensorflow")

from algorithms.own_models import EPOCH, FEDAVG, OPTIONS, RATES, constant, own_after
from algorithms.quadratics import SIZES, START, gradients, prox, smoothness
from algorithms.rounds import followed, path, solving, steps
from algorithms.states import of_clients
from simulating import params_after, simulate, write_regression

from fedatlas.data.store import Feature, write_store

# ------------------------------------------------------------------------------------------------------- Local


@pytest.mark.engine  # which alone knows the bytes of a message
def test_local_models_are_gradient_descent_of_every_client(four):
    simulation = simulate(four, "local_only", {"client_lr": RATES}, start=START, work=steps(2))
    models, costs = followed(simulation, 3)
    w = np.tile(START, (len(SIZES), 1))
    for _ in range(6):
        w = w - RATES[1] * gradients(four, w)
    np.testing.assert_allclose(of_clients(simulation, 1)[0], w, rtol=1e-10)
    np.testing.assert_allclose(models[-1, 1], w.mean(0), rtol=1e-10)
    assert all(cost.communications.sum() == cost.bytes_down.sum() == cost.bytes_up.sum() == 0 for cost in costs)


def test_a_clients_own_model_is_evaluated(four):
    simulation = simulate(four, "local_only", {"client_lr": RATES}, start=START, work=EPOCH)
    own = own_after(simulation, 2)[1]
    found = simulation.evaluate_own(["train"])["train", "loss"][1]
    for number, (w, loss) in enumerate(zip(own, found, strict=True)):
        data = four.read("train", number)
        np.testing.assert_allclose(loss, np.mean((data["x"] @ w[:-1] + w[-1] - data["y"]) ** 2), rtol=1e-10)


# ------------------------------------------------------------------------------------------------------- FedAvg+


def test_fedavg_tuned_has_the_models_of_fedavg(four):
    found = params_after(simulate(four, "fedavg_finetuned", FEDAVG, cohort=3, **OPTIONS), 3)
    np.testing.assert_array_equal(found, params_after(simulate(four, "fedavg", FEDAVG, cohort=3, **OPTIONS), 3))


@pytest.fixture(scope="module")
def with_unseen(tmp_path_factory):
    """The first three clients train; the splits of the unseen hold the same examples."""
    source = write_regression(tmp_path_factory.mktemp("unseen") / "source", [7, 5, 9])
    parts = [(str(i), source.read("train", i)) for i in range(3)]
    return write_store(
        tmp_path_factory.mktemp("unseen") / "store",
        name="regression",
        options={},
        seed=0,
        kind="synthetic as in the paper",
        features=[Feature("x", "float64", (6,)), Feature("y", "float64", ())],
        splits=dict.fromkeys(("train", "unseen_train", "unseen_test"), parts),
    )


def test_tuning_is_one_epoch_from_the_servers_model(with_unseen):
    """Of clients that train and of those that do not; the batches are those of the coming round."""
    simulation = simulate(with_unseen, "fedavg_finetuned", FEDAVG, work=EPOCH, local=OPTIONS["local"])
    params_after(simulation, 2)
    server = simulation.measure().params
    found = simulation.evaluate_own(["train", "unseen_test"])
    np.testing.assert_array_equal(simulation.measure().params, server)
    for g, rate in enumerate(RATES):
        alone = simulate(
            with_unseen, "local_only", {"client_lr": [rate]}, work=EPOCH, start=server[g], local=OPTIONS["local"]
        )
        alone.state = alone.state._replace(round=simulation.state.round)
        alone.advance()
        expected = alone.evaluate_own(["train"])["train", "loss"][0]
        np.testing.assert_allclose(found["train", "loss"][g], expected, rtol=1e-10)
        np.testing.assert_allclose(found["unseen_test", "loss"][g], expected, rtol=1e-10)


# ------------------------------------------------------------------------------------------------------- pFedMe


def test_pfedme_without_its_term_trains_every_client_alone(four):
    """T20."""
    found = own_after(simulate(four, "pfedme_surrogate", {"client_lr": RATES, "mu": constant(0.0)}, **OPTIONS), 4)
    np.testing.assert_array_equal(found, own_after(simulate(four, "local_only", {"client_lr": RATES}, **OPTIONS), 4))


def test_pfedme_by_hand(four):
    rate, mu, w, own = 0.02, 2.5, START, np.tile(START, (len(SIZES), 1))
    simulation = simulate(four, "pfedme_surrogate", {"client_lr": [rate], "mu": [mu]}, start=START, work=steps(3))
    for found in path(simulation, 4)[:, 0]:
        for _ in range(3):
            own = own - rate * (gradients(four, own) + mu * (own - w))
        w = own.mean(0)
        np.testing.assert_allclose(found, w, rtol=0, atol=1e-12)
    np.testing.assert_allclose(of_clients(simulation)[0], own, rtol=0, atol=1e-12)


@pytest.mark.parametrize("weighting", ["uniform", "examples"])
@pytest.mark.parametrize("algorithm", ["pfedme_surrogate", "pfedme_surrogate_finetuned"])
def test_pfedme_averages_over_all_clients_though_few_are_in_a_round(four, algorithm, weighting):
    """Those that are not hold their own models, which count in the server's; the second variant begins at it."""
    rate, mu, w, own = 0.02, 2.5, START, np.tile(START, (len(SIZES), 1))
    sizes, new = np.array(SIZES if weighting == "examples" else [1] * len(SIZES)), np.full(len(SIZES), True)
    options = {"start": START, "work": steps(3), "cohort": 2, "weighting": weighting}
    simulation = simulate(four, algorithm, {"client_lr": [rate], "mu": [mu]}, **options)
    for _ in range(6):
        cohort = simulation.next_cohort()
        moving = np.tile(w, (len(SIZES), 1)) * new[:, None] + own * ~new[:, None] if "finetuned" in algorithm else own
        for _ in range(3):
            moving = moving - rate * (gradients(four, moving) + mu * (moving - w))
        own = own.copy()
        own[cohort], new[cohort] = moving[cohort], False
        w = np.average(own, axis=0, weights=sizes)
        simulation.advance()
        np.testing.assert_allclose(simulation.measure().params[0], w, rtol=0, atol=1e-12)
    np.testing.assert_allclose(of_clients(simulation)[0], own, rtol=0, atol=1e-12)


@pytest.mark.engine  # thousands of small steps are a loop of a graph, and slow one by one
@pytest.mark.parametrize("mu", [1.0, 1e2, 1e6])
def test_pfedme_ends_at_the_proximal_points_of_the_servers_model(four, mu):
    """As mu grows they become the server's model: theta_t - w = -grad f_t(w) / mu, nearly."""
    simulation = simulate(
        four,
        "pfedme_surrogate",
        {"client_lr": [1 / (mu + smoothness(four))], "mu": [mu]},
        start=START,
        work=steps(2000),
    )
    simulation.advance()
    own = of_clients(simulation)[0]
    np.testing.assert_allclose(own, prox(four, START, mu), rtol=0, atol=1e-9)
    assert np.abs(own - START).max() <= np.linalg.norm(gradients(four, START), axis=1).max() / mu


# ------------------------------------------------------------------------------------------- the original pFedMe


def original(client_lr, strength, inner_steps=400.0, beta=1.0):
    values = {"client_lr": client_lr, "inner_lr": 0.02, "inner_steps": inner_steps, "strength": strength, "beta": beta}
    return {name: [value] for name, value in values.items()}


@pytest.mark.engine  # thousands of small steps are a loop of a graph, and slow one by one
def test_the_original_pfedme_descends_moreau_envelopes(four):
    """Theorem of Moreau: the gradient of the envelope at w is lambda (w - prox(w))."""
    rate, strength, beta, w = 0.2, 2.0, 0.7, START
    simulation = simulate(four, "pfedme", original(rate, strength, beta=beta), start=START, work=steps(3))
    for found in path(simulation, 4)[:, 0]:
        local = np.tile(w, (len(SIZES), 1))
        for _ in range(3):
            theta = prox(four, local, strength)
            local = local - rate * strength * (local - theta)
        w = (1 - beta) * w + beta * local.mean(0)
        np.testing.assert_allclose(found, w, rtol=0, atol=1e-8)
    np.testing.assert_allclose(of_clients(simulation)[0], theta, rtol=0, atol=1e-8)  # the personal models


@pytest.mark.engine  # thousands of small steps are a loop of a graph, and slow one by one
def test_the_original_pfedme_with_one_proximal_step_is_exact_fedprox(four):
    """Where client_lr is 1 / lambda."""
    found = path(simulate(four, "pfedme", original(0.4, 2.5), start=START), 4)
    expected = path(simulate(four, "fedprox_exact", {"mu": [2.5]}, start=START, **solving(100)), 4)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)


@pytest.mark.engine  # whose gradients count a traced step, not every step that is computed by hand
def test_the_original_pfedme_takes_each_configurations_inner_steps(four):
    """K differs between configurations; so do models and costs."""
    both = {name: values * 2 for name, values in original(0.1, 2.0).items()} | {"inner_steps": [2.0, 5.0]}
    simulation = simulate(four, "pfedme", both, start=START, work=steps(3))
    models, costs = followed(simulation, 2)
    for g, inner in enumerate((2.0, 5.0)):
        alone = simulate(four, "pfedme", original(0.1, 2.0, inner), start=START, work=steps(3))
        np.testing.assert_allclose(models[:, g], path(alone, 2)[:, 0], rtol=0, atol=1e-12)
        assert costs[0].gradient_evaluations[g] == sum(SIZES) * 3 * inner
