"""Where the data of runs lies while they are computed."""

from __future__ import annotations

import gc

import numpy as np
import pytest

pytest.importorskip("tensorflow")

from simulating import write_regression

from fedatlas.federated.client_reader import ClientReader, ResidentTable


def first_of(table):
    return table.read()[0].numpy()[0]


def test_tables_that_follow_each_other_take_one_place():
    """A comparison of many runs holds the data of one."""
    first = ResidentTable([np.full(5, 1.0), np.full((5, 2), 1)])
    beside, places = ResidentTable([np.full(5, 2.0)]), [name for name, *_ in first._named]
    assert (first_of(first), first_of(beside)) == (1, 2)
    del first
    gc.collect()
    after = ResidentTable([np.full(5, 3.0), np.full((5, 2), 3)])
    assert [name for name, *_ in after._named] == places
    assert (first_of(after), first_of(beside)) == (3, 2)
    assert not {name for name, *_ in ResidentTable([np.full(5, 4.0)])._named} & {*places, *[beside._named[0][0]]}


def test_a_stretch_crosses_clients(tmp_path):
    store = write_regression(tmp_path / "made", [3, 1, 4])
    reader, clients = ClientReader(store, "train"), [store.read("train", client) for client in range(3)]
    every = [np.concatenate([client[name] for client in clients]) for name in ("x", "y")]
    for start in range(8):
        for stop in range(start + 1, 9):
            for found, expected in zip(reader.stretch(start, stop), every, strict=True):
                np.testing.assert_array_equal(found, expected[start:stop], strict=True)
