"""What is left to TensorFlow because a run is short, and that it changes nothing but the time that it takes."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

pytest.importorskip("tensorflow")

from simulating import params_after, simulate, write_regression

from fedatlas.federated import engines, evaluation
from fedatlas.federated.batches import LocalWork
from fedatlas.federated.evaluation import Microbatches
from fedatlas.federated.worth import compiling_pays, dropping_pays, narrowing_pays, steps_of_a_round

RATES = {"client_lr": [1e200, 0.01, 0.02, 1e150], "server_lr": [1.0] * 4}  # the first and the last diverge
SHORT, LONG = 5, 10**6


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    engines.install("inprocess", 1)
    return write_regression(tmp_path_factory.mktemp("stores") / "unequal", [9, 2, 5, 13])


def averaging(store, rounds=None, **options):
    return simulate(store, "fedavg", RATES, work=LocalWork(batch_size=4, epochs=3), rounds=rounds, **options)


def setting_of(simulation):
    return simulation._setting


def test_steps_are_those_of_all_chunks_and_groups(store):
    assert steps_of_a_round(setting_of(averaging(store, chunk=3))) == 2 * 3 * 4  # chunks, epochs, batches of 13
    one_by_one = {"one_by_one": True}
    assert steps_of_a_round(setting_of(averaging(store, chunk=1, attributes=one_by_one))) == 4 * 4 * 3 * 4


@pytest.mark.parametrize(("rounds", "compiled"), [(SHORT, False), (LONG, True), (None, True)])
def test_a_run_is_compiled_if_it_is_long(store, rounds, compiled):
    setting = setting_of(averaging(store, rounds, attributes={"compile": "xla"}))
    assert setting.compiled == compiling_pays(setting) == compiled
    assert not setting_of(averaging(store, rounds, attributes={"compile": "graph"})).compiled


def test_the_more_work_the_sooner_a_run_is_compiled(store):
    setting = dataclasses.replace(setting_of(averaging(store, attributes={"compile": "xla"})), rounds=300)
    assert not setting.compiled
    assert dataclasses.replace(setting, cohort=40).compiled  # ten chunks a round
    assert dataclasses.replace(setting, work=LocalWork(batch_size=4, epochs=30)).compiled


def test_dropping_configurations_pays_while_there_is_much_to_come(store):
    setting = setting_of(averaging(store, LONG))
    assert dropping_pays(setting, 2, done=0) and not dropping_pays(setting, 2, done=LONG - 5)
    assert not dropping_pays(setting, 4, done=0)


def test_narrowing_pays_where_clients_are_of_unlike_sizes(store, tmp_path):
    """And where XLA, which does without it, would not save more: it does on a few examples of six numbers."""
    assert not narrowing_pays(setting_of(averaging(store)))  # in one chunk
    assert narrowing_pays(setting_of(averaging(store, chunk=2)))
    assert not narrowing_pays(setting_of(averaging(store, chunk=2, attributes={"compile": "xla"})))
    alike = write_regression(tmp_path / "alike", [7] * 4)
    assert not narrowing_pays(setting_of(averaging(alike, chunk=2)))
    wide = write_regression(tmp_path / "wide", [300, 10, 10, 10], shape=(2000,))
    many = LocalWork(batch_size=100, epochs=1)
    setting = setting_of(simulate(wide, "fedavg", RATES, work=many, chunk=2, attributes={"compile": "xla"}))
    assert narrowing_pays(setting) and setting.narrows and not setting.compiled
    steps = dataclasses.replace(setting, work=LocalWork(batch_size=4, steps=3))
    assert not narrowing_pays(steps)  # whose batches are all full


@pytest.mark.parametrize(
    ("work", "chunk", "shards"),
    [
        (LocalWork(4, epochs=3), 2, 2),
        (LocalWork(4, epochs=3, across=True), 1, 3),
        (LocalWork(None, epochs=2), 2, 1),
        (LocalWork(40, epochs=1), 1, 1),
    ],
)
def test_clients_filled_up_to_the_largest_of_their_chunk_learn_the_same(store, work, chunk, shards):
    """Three of them in a round; and every client's own values are where they belong."""
    rates = {"client_lr": [0.01, 0.02], "server_lr": [1.0, 1.0]}
    alone, apart = (
        simulate(store, "fedavg", rates, work=work, chunk=size, cohort=3, shards=spread)
        for size, spread in ((4, 1), (chunk, shards))
    )
    assert setting_of(apart).narrows and not setting_of(alone).narrows
    np.testing.assert_allclose(params_after(apart, 3), params_after(alone, 3), rtol=1e-10)
    own, expected = apart.evaluate_own(["train"]), alone.evaluate_own(["train"])
    for key in expected:
        np.testing.assert_allclose(own[key], expected[key], rtol=1e-10)


def told(simulation):
    """Three more rounds as they are told of: costs, models, and how good they are."""
    costs = [simulation.advance() for _ in range(3)]
    return [*np.concatenate([np.stack(cost) for cost in costs]), *simulation.evaluate("validation").values()], (
        simulation.measure().params
    )


@pytest.mark.parametrize("drop", ["retire", "keep"])
def test_what_is_told_of_is_the_same_whether_the_others_are_computed_or_not(store, drop):
    found = []
    for rounds in (SHORT, LONG):
        simulation = averaging(store, rounds)
        params_after(simulation, 2)
        simulation.retire() if drop == "retire" else simulation.keep(2)
        assert simulation.active.tolist() == ([1, 2] if drop == "retire" else [2])
        assert simulation.computed.tolist() == ([0, 1, 2, 3] if rounds == SHORT else simulation.active.tolist())
        found.append(told(simulation))
    for short, long in zip(*(values for values, _ in found), strict=True):
        np.testing.assert_allclose(short, long, rtol=1e-12)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-12)


def test_what_is_computed_but_not_told_of_goes_on_from_a_snapshot(store):
    simulation = averaging(store, SHORT)
    params_after(simulation, 2)
    simulation.retire()
    again = averaging(store, SHORT)
    again.restore(simulation.snapshot())
    assert (again.active.tolist(), again.computed.tolist()) == ([1, 2], [0, 1, 2, 3])
    np.testing.assert_array_equal(told(again)[1], told(simulation)[1])


@pytest.mark.parametrize("held", [0, 2**20])
@pytest.mark.parametrize("size", [1, 4, 100])
def test_pieces_make_up_the_split(store, monkeypatch, size, held):
    """However small they are, and whether they stay in memory or are read each time."""
    monkeypatch.setattr(evaluation, "MICROBATCH", size)
    monkeypatch.setattr(evaluation, "MICROBATCH_BYTES", 1)
    monkeypatch.setattr(evaluation, "HELD_BYTES", held)
    simulation = averaging(store, shards=2)
    setting = setting_of(simulation)
    microbatches = Microbatches(setting, setting.readers["train"])
    for _ in range(2):
        together = [np.concatenate(parts) for parts in zip(*microbatches, strict=True)]
        whole = [np.concatenate([store.read("train", client)[name] for client in range(4)]) for name in ("x", "y")]
        np.testing.assert_array_equal(together[0], whole[0])
        np.testing.assert_array_equal(together[1], whole[1])
        np.testing.assert_allclose(together[2], np.repeat([1 / 9, 1 / 2, 1 / 5, 1 / 13], [9, 2, 5, 13]))
    assert microbatches.weight == 4
    w = simulation.measure().params
    losses = [
        ((arrays["x"] @ w[:, :-1].T + w[:, -1] - arrays["y"][:, None]) ** 2).mean(0)
        for arrays in (store.read("train", client) for client in range(4))
    ]
    np.testing.assert_allclose(simulation.evaluate("train")["loss"], np.mean(losses, 0), rtol=1e-12)
