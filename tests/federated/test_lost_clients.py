"""A client whose update is not finite is left out of a round, and it alone."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("tensorflow")

from algorithms.states import of_clients
from simulating import full_gradients, params_after, simulate

from fedatlas.data.store import Feature, write_store

BAD, RATE = 1, 0.01


def test_the_others_go_on_as_if_it_were_not_there(tmp_path):
    rng = np.random.default_rng(0)
    clients = [(str(n), {"x": rng.normal(size=(4, 6)), "y": rng.normal(size=4)}) for n in range(3)]
    clients[BAD][1]["y"][:] = clients[BAD][1]["x"][:] = 1e200
    features = [Feature("x", "float64", (6,)), Feature("y", "float64", ())]
    facts = {"name": "made", "options": {}, "seed": 0, "kind": "synthetic as in the paper"}
    store = write_store(tmp_path / "store", features=features, splits={"train": clients}, **facts)
    simulation = simulate(store, "scaffold", {"client_lr": [RATE], "server_lr": [1.0]}, start=np.zeros(7))
    found = params_after(simulation, 1)[0]
    with np.errstate(all="ignore"):
        good = np.delete(full_gradients(store, np.zeros(7)), BAD, 0)
    np.testing.assert_allclose(found, -RATE * good.mean(0), rtol=1e-12)
    controls = of_clients(simulation)[0]
    np.testing.assert_array_equal(controls[BAD], 0)
    np.testing.assert_allclose(np.delete(controls, BAD, 0), good, rtol=1e-10)
