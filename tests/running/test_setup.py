"""What the settings of a run draw their randomness from: each a stream of its own, by name."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("tensorflow")
from small_runs import small

from fedatlas.data.store import ClientStore
from fedatlas.errors import AtlasError
from fedatlas.federated import graphs
from fedatlas.running.setup import Machine, make_problem, make_setting
from fedatlas.seeds import seed_for


@pytest.mark.parametrize("seed", [0, 3])
def test_batches_start_coin_and_graph_have_streams_of_their_own(store, seed):
    """Exchanged, they would still be random, but not what was published."""
    graph = {"probability": 0.7, "weights": "metropolis"}
    run = small(seed=seed, training={"graph": graph}, seeds={"sweep": [seed], "tuned": []})
    clients = ClientStore.open(store)
    setting = make_setting(run, clients, Machine())
    assert setting.seed == seed_for(seed, "batches")
    assert setting.coin_seed == seed_for(seed, "coin")
    start = make_problem(run, clients).initial(seed_for(seed, "init"))
    np.testing.assert_array_equal(setting.initial, start)
    drawn = graphs.erdos_renyi(6, 0.7, np.random.default_rng(seed_for(seed, "graph")))
    np.testing.assert_array_equal(setting.graph, graphs.WEIGHTS["metropolis"](drawn))


@pytest.mark.parametrize("wrong", [{"chunk": 0}, {"chunk": "some"}, {"shards": "2"}, {"threads": 0}, {"shards": True}])
def test_a_machine_of_nothing_is_told(wrong):
    (name,) = wrong
    with pytest.raises(AtlasError, match=f"'{name}' is .*, but must be a whole number above 0"):
        Machine(**wrong)
