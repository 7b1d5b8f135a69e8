"""Clients of a program: every kind of source becomes the same arrays, and what is wrong is told in one sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import fedatlas as fa
from fedatlas.errors import AtlasError

X = {"ann": np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), "bob": np.array([[7.0, 8.0], [9.0, 10.0]])}
Y = {"ann": np.array([0, 1, 2]), "bob": np.array([2, 0])}
ARRAYS = {name: (X[name], Y[name]) for name in X}


def same(found: fa.clients) -> bool:
    own = found.splits["train"]
    return [c.id for c in own] == [*X] and all(
        np.array_equal(c.x, X[c.id]) and np.array_equal(c.y, Y[c.id]) for c in own
    )


class HuggingFace:
    """What is used of a split of a Hugging Face dataset: `column_names`, and slices of `with_format("numpy")`."""

    def __init__(self, columns):
        self._columns, self.column_names = columns, [*columns]

    def with_format(self, kind):
        assert kind == "numpy"
        return self

    def __getitem__(self, rows):
        return {name: column[rows] for name, column in self._columns.items()}


def table() -> dict[str, np.ndarray]:
    """The examples in an order that mixes the clients; each keeps its own order."""
    order = [0, 3, 1, 4, 2]
    x, y = np.concatenate([*X.values()])[order], np.concatenate([*Y.values()])[order]
    return {"who": np.array(["ann"] * 3 + ["bob"] * 2)[order], "x": x, "y": y}


def test_arrays_are_taken_as_they_are():
    found = fa.clients(ARRAYS)
    assert same(found) and found.num_classes == 3 and found.shape == (2,)
    assert found.dtype == "float32" and found.splits["train"][0].y.dtype == np.int32


def test_a_table_is_dealt_by_its_client_column():
    rows = table()
    frame = pd.DataFrame({"who": rows["who"], "u": rows["x"][:, 0], "v": rows["x"][:, 1], "y": rows["y"]})
    assert same(fa.clients(frame, client="who"))
    assert same(fa.clients(frame.rename(columns={"y": "digit"}), client="who", label="digit", features=["u", "v"]))


def test_clients_of_a_table_may_have_names_of_several_types():
    frame = pd.DataFrame({"who": [1, "a", 1], "u": [1.0, 2.0, 3.0], "y": [0, 1, 1]})
    found = fa.clients(frame, client="who").splits["train"]
    assert {client.id: client.x.ravel().tolist() for client in found} == {"1": [1.0, 3.0], "a": [2.0]}


FRAME = pd.DataFrame({"who": ["ann", "bob"], "u": [1.0, 2.0], "v": [3.0, 4.0], "y": [0, 1]})


def of_each(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    return {who: own.drop(columns="who") for who, own in frame.groupby("who")}


def test_columns_are_matched_by_name():
    other = FRAME[["y", "v", "who", "u"]]
    found = fa.clients(FRAME, test=other, validation=of_each(other), client="who").splits
    assert all(np.array_equal(a.x, b.x) for name in found for a, b in zip(found["train"], found[name], strict=True))
    mixed = fa.clients({"ann": of_each(FRAME)["ann"], "bob": of_each(other)["bob"]})
    assert mixed.digest == fa.clients(FRAME, client="who").digest


def test_columns_may_have_whole_numbers_as_names():
    frame = FRAME.set_axis(range(4), axis=1)
    assert fa.clients(frame, client=0, label=3, features=[1, 2]).digest == fa.clients(FRAME, client="who").digest
    assert fa.clients(frame.set_axis([3, 0, 1, 2], axis=1), client=3, label=2, features=0).shape == (1,)


def test_inputs_may_be_called_as_labels_mostly_are():
    frame = FRAME.rename(columns={"u": "x", "v": "y", "y": "label"})
    same = fa.clients(FRAME, client="who").digest
    assert fa.clients(frame, client="who", label="label").digest == same
    assert fa.clients(frame, client="who", features=["x", "y"]).digest == same


def test_a_client_of_another_split_may_be_an_empty_table():
    tests = of_each(FRAME)
    found = fa.clients(FRAME, test={**tests, "bob": tests["bob"][:0]}, client="who")
    assert found.table["test"].tolist() == [1, 0]


def test_some_classes_may_be_absent():
    assert fa.clients({"ann": (X["ann"], [0, 3, 2])}).num_classes == 4
    assert fa.clients({"ann": (X["ann"], [1, 2, 1])}, test=(X["ann"], [0, 1, 2])).num_classes == 3
    assert fa.clients({"ann": (X["ann"], [1, 8, 1])}, classes=9).num_classes == 9


def test_a_hugging_face_split_is_dealt_by_its_client_column():
    rows = table()
    assert same(fa.clients(HuggingFace(rows), client="who", label="y", features="x"))
    arrays = np.empty(5, object)
    arrays[:] = [*rows["x"]]
    assert same(fa.clients(HuggingFace({**rows, "x": arrays}), client="who"))


def test_test_examples_need_not_belong_to_a_client():
    found = fa.clients(ARRAYS, test=(X["bob"], Y["bob"]))
    assert [client.id for client in found.splits["test"]] == ["test"]
    assert found.table.loc["ann"].tolist() == [3, 0]


def test_numbers_to_predict_are_no_classes():
    found = fa.clients({"ann": (X["ann"], [0.5, 1.0, 2.0])})
    assert found.num_classes is None and found.splits["train"][0].y.dtype == np.float32


def test_bytes_stay_bytes():
    assert fa.clients({"ann": (np.zeros((2, 8, 8), np.uint8), [0, 1])}).dtype == "uint8"


def test_the_digest_follows_the_content():
    digest = fa.clients(ARRAYS).digest
    assert digest == fa.clients({name: (x.copy(), y.copy()) for name, (x, y) in ARRAYS.items()}).digest
    changed = [
        fa.clients({**ARRAYS, "bob": (X["bob"] + 1e-3, Y["bob"])}),
        fa.clients({**ARRAYS, "bob": (X["bob"], Y["bob"][::-1])}),
        fa.clients({"Ann": ARRAYS["ann"], "bob": ARRAYS["bob"]}),
        fa.clients(ARRAYS, test=ARRAYS),
        fa.clients(ARRAYS, classes=4),
    ]
    assert len({digest, *(one.digest for one in changed)}) == 6


def test_a_store_holds_what_was_given(tmp_path):
    found = fa.clients(ARRAYS, test=(X["bob"], Y["bob"]))
    store = found.write(tmp_path / "store")
    assert np.array_equal(store.read("train", 1)["x"], X["bob"])
    assert np.array_equal(store.read("test", 0)["y"], Y["bob"])
    assert store.num_classes == 3 and store.manifest["options"] == {"content": found.digest}


NAN = np.array([[1.0, 2.0], [np.nan, 4.0], [5.0, 6.0]])
MISTAKES = {
    "no clients": ({}, {}, "there are no clients"),
    "no examples": ({"eve": (np.zeros((0, 2)), [])}, {}, "client 'eve' has no examples"),
    "lengths": ({"eve": (X["ann"], [0, 1])}, {}, "'eve' has 3 inputs but 2 labels"),
    "shapes": ({**ARRAYS, "eve": (np.ones((2, 3)), [0, 1])}, {}, r"'eve' has inputs of shape \[3\].*'ann' have \[2\]"),
    "types": ({**ARRAYS, "eve": (np.ones((2, 2), np.uint8), [0, 1])}, {}, "'eve' has inputs of type uint8"),
    "ragged labels": ({"eve": ([[1.0], [2.0]], [[0], [1, 2]])}, {}, "'eve': the labels differ in shape"),
    "ragged": ({"eve": ([[1.0], [1.0, 2.0]], [0, 1])}, {}, "'eve': the inputs differ in shape"),
    "not a number": ({"eve": (NAN, [0, 1, 1])}, {}, "'eve': example 1 holds NaN or infinity"),
    "too large": ({"eve": (X["ann"] * 1e300, [0, 1, 1])}, {}, "'eve': example 0 holds NaN or infinity"),
    "label too large": ({"eve": (X["ann"], [0.5, 1e39, 1])}, {}, "'eve': example 1 has no finite label"),
    "label not a number": ({"eve": (X["ann"], [0, np.nan, 1])}, {}, "'eve': example 1 has no finite label"),
    "negative label": ({"eve": (X["ann"], [-1, 1, 1])}, {}, "label -1, .* 0 to 1: .* or give y as floats if it is a"),
    "beyond 32 bits": ({"eve": ([[2**40], [1], [2]], [0, 1, 1])}, {}, "'eve' has inputs that do not fit into 32 bits"),
    "label beyond 32 bits": (
        {"eve": (X["ann"], [0, 2**32 + 1, 1])},
        {},
        "'eve' has labels that do not fit .* from 0 on",
    ),
    "one name twice": ({1: ARRAYS["ann"], "1": ARRAYS["bob"]}, {}, "'train' has two clients called '1'"),
    "large label": (ARRAYS, {"classes": 2}, "'ann' has the label 2, but labels must be 0 to 1"),
    "words": ({"eve": (X["ann"], ["a", "b", "c"])}, {}, "'eve': the labels are of type .*encode them"),
    "one value": ({"eve": (1.0, [0])}, {}, "'eve': the inputs are one value"),
    "a list": ([1, 2], {}, "'train' is of type list, but clients must be a dict"),
    "no pair": ({"eve": X["ann"]}, {}, "client 'eve' is of type ndarray"),
    "no client column": (pd.DataFrame({"u": [1.0], "y": [0]}), {}, "say with 'client'"),
    "wrong column": (pd.DataFrame({"u": [1.0], "y": [0]}), {"client": "who"}, "no column 'who'.*it has: u, y"),
    "no client in a row": (
        pd.DataFrame({"who": ["ann", None], "u": [1.0, 2.0], "y": [0, 1]}),
        {"client": "who"},
        "no client in 1 of 2 rows",
    ),
    "nothing to predict from": (
        pd.DataFrame({"who": ["ann", "ann"], "y": [0, 1]}),
        {"client": "who"},
        "no column besides 'y' to predict it from",
    ),
    "classes in words": (ARRAYS, {"classes": "three"}, "'classes' is 'three', but must be a whole number, 2 or more"),
    "nothing": (None, {}, "'train' is of type NoneType, but clients must be a dict"),
    "empty table": (FRAME[:0], {"client": "who"}, "'train' has no examples"),
    "empty table of a client": ({"eve": pd.DataFrame({"u": [], "v": [], "y": []})}, {}, "'eve' has no examples"),
    "misspelt among numbers": (FRAME.set_axis(range(4), axis=1), {"client": "who"}, "no column 'who'.*: 0, 1, 2, 3"),
    "one column twice": (FRAME.set_axis(["who", "u", "u", "y"], axis=1), {"client": "who"}, "has two columns 'u'"),
    "a column less": (FRAME, {"client": "who", "test": FRAME.drop(columns="v")}, "'test' has no column 'v', which 'tr"),
    "a column more": (
        {"ann": FRAME[["u", "y"]], "bob": FRAME[["v", "u", "y"]]},
        {},
        "^train client 'ann' has no column 'v', which train client 'bob' has",
    ),
    "dates": (
        FRAME.assign(when=pd.Timestamp("2024-01-01")),
        {"client": "who"},
        r"the column 'when' of 'train' is datetime64\[.*\]: encode it as numbers, or choose others with 'features'",
    ),
    "text": (FRAME.assign(town="Rome"), {"client": "who"}, "the column 'town' of 'train' is object"),
    "labels in text": (FRAME.assign(y="no"), {"client": "who"}, "the column 'y' of 'train' is object.*'label'"),
    "two labels": (FRAME.assign(label=0), {"client": "who"}, "the columns 'label' and 'y': say with 'label' which"),
    "label as input": (FRAME, {"client": "who", "features": ["u", "y"]}, "'features' names 'y', which is to be pred"),
    "client as input": (FRAME, {"client": "who", "features": ["u", "who"]}, "'features' .* is the client column"),
    "client as label": (FRAME, {"client": "who", "label": "who"}, "'label' names 'who', which is the client column"),
    "no label column": (pd.DataFrame({"u": [1.0], "v": [0]}), {"client": "u"}, "say with 'label' which of v"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_sentence(mistake):
    source, options, words = MISTAKES[mistake]
    with pytest.raises(AtlasError, match=words) as told:
        fa.clients(source, **options)
    assert "\n" not in str(told.value) and str(told.value).endswith(".")
