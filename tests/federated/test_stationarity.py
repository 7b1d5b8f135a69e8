"""The squared norm of the gradient of the mean loss, which FedPD's figures and theorems are about."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("tensorflow")

from problems.test_penalised_logistic import ALPHA, LAM, by_hand
from simulating import grid, simulate, write_classes

from fedatlas.federated import evaluation

SIZES = [9, 4, 6]


@pytest.mark.parametrize("shards", [1, 2])
def test_the_gap_is_of_the_whole_gradient(tmp_path, monkeypatch, shards):
    """Of several microbatches on several shards, and of clients that weigh alike, however many examples they have."""
    monkeypatch.setattr(evaluation, "MICROBATCH", 2)
    monkeypatch.setattr(evaluation, "MICROBATCH_BYTES", 1)
    store = write_classes(tmp_path / "store", {"train": SIZES}, classes=2)
    problem = {"name": "penalised_logistic", "lam": LAM, "alpha": ALPHA}
    simulation = simulate(store, "fedavg", grid("fedavg", [0.1, 0.5]), problem=problem, shards=shards)
    simulation.advance()
    found = simulation.evaluate("train")["stationarity_gap"]
    for w, gap in zip(simulation.measure().params, found, strict=True):
        clients = [store.read("train", client) for client in range(len(SIZES))]
        gradient = np.mean([by_hand(w, data["x"], data["y"])[1] for data in clients], 0)
        np.testing.assert_allclose(gap, gradient @ gradient, rtol=1e-10)
