"""What is recorded of a run, against numbers by hand."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("tensorflow")

from simulating import simulate

from fedatlas.data.store import Feature, write_store
from fedatlas.running.metrics import Optimum, Recorder, _over_clients


@pytest.fixture
def store(tmp_path):
    """Two clients of one example each."""
    examples = {"0": ([2.0, 1.0], 1.0), "1": ([0.0, 2.0], -1.0)}
    clients = [(client, {"x": np.array([x]), "y": np.array([y])}) for client, (x, y) in examples.items()]
    return write_store(
        tmp_path / "store",
        name="regression",
        options={},
        seed=0,
        kind="synthetic as in the paper",
        features=[Feature("x", "float64", (2,)), Feature("y", "float64", ())],
        splits={"train": clients, "validation": clients[:1]},
        truth={"w_real": np.zeros(2)},
    )


def test_objective_and_relative_energy_error_by_hand(store):
    """The model predicts 2 - 1/2 + 1/4 where y is 1, and -1 + 1/4 where it is -1.

    The losses are 9/16 and 1/16, their mean 5/16. The penalty is 1/2 (1 + 1/2) = 3/4, once and without the intercept,
    so the objective is 17/16. Above the least one, taken to be 1/2, it lies by (17/16) / (1/2) - 1 = 9/8. From the
    model that has it, taken to be (0, 0, 1/4), this one is 1 and 1/2 away.
    """
    start = np.array([1, -1 / 2, 1 / 4])
    simulation = simulate(
        store, "fedavg", {"client_lr": [0.1], "server_lr": [1.0]}, penalty={"name": "l1", "strength": 0.5}, start=start
    )
    recorder = Recorder([0], Optimum(1 / 2, np.array([0, 0, 1 / 4])))
    recorder.evaluate(simulation, ["train", "validation"])
    found = recorder.table().set_index(["split", "metric"])["value"]
    assert found["train", "loss"] == 5 / 16
    assert found["train", "objective"] == 17 / 16
    assert found["train", "relative_energy_error"] == 9 / 8
    assert found["model", "squared_solution_error"] == 1 + 1 / 4
    assert found["validation", "objective"] == 9 / 16 + 3 / 4
    assert ("validation", "relative_energy_error") not in found.index


def test_the_worst_decile_is_of_clients_with_examples():
    """The accuracy of a client without any is recorded as 0."""
    sizes = np.array([0, *range(1, 11)])
    own = {("test", "accuracy"): np.array([[0.0, *np.linspace(0.1, 1, 10)]])}
    assert _over_clients(own, "test", sizes)["accuracy_decile"] == [0.1]
    assert _over_clients(own, "test", 0 * sizes)["accuracy_decile"] == [0.0]
