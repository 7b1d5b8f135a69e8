"""Inputs that a problem does not take are told in one sentence."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import fedatlas as fa
from fedatlas.errors import AtlasError
from fedatlas.library.input_shapes import KINDS
from fedatlas.library.problems import TASKS

CNN = fa.problems.cnn(filters=[2, 2], units=4, dropout=[0.0, 0.0])
LSTM = fa.problems.lstm(embedding=2, units=2, layers=1, dropout=0.0)
BYTES = np.zeros((4, 8, 8), np.uint8)
TOKENS = np.array([[0, 1, 2], [2, 1, 0], [0, 0, 1], [1, 2, 2]])
LABELS = [0, 1, 2, 1]
REFUSED = {
    "a vector for a number": (fa.problems.quadratic(start=1.0), np.ones((4, 3)), LABELS, r"one number .* shape \[3\]"),
    "a vector for a matrix": (fa.problems.matrix_regression(), np.ones((4, 3)), LABELS, "takes matrices.* have the"),
    "an image for a vector": (fa.problems.linear(), BYTES, LABELS, r"takes vectors.* shape \[8, 8\]: flatten them"),
    "no axis": (fa.problems.linear(), np.ones(4), LABELS, r"takes vectors.* shape \[\]: give x\[:, None\]"),
    "flat images": (CNN, BYTES.reshape(4, -1), LABELS, r"takes images, .* shape \[64\]: give them rows, columns"),
    "images of fractions": (CNN, BYTES / 255, LABELS, "takes images of bytes, 0 to 255, but the inputs are float32"),
    "small images": (CNN, BYTES[:, :4, :4], LABELS, r"cannot take images of the shape \[4, 4\]: they are too small"),
    "fractions for tokens": (LSTM, TOKENS / 2, LABELS, "takes whole numbers, one for each token"),
    "tokens of another kind": (LSTM, TOKENS + 1, LABELS, "train client 'ann' has the token 3, but lstm .* 0 to 2"),
    "axes of tokens": (LSTM, np.eye(3, dtype=int)[TOKENS], LABELS, r"takes sequences of tokens, .* shape \[3, 3\]"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_inputs_that_a_problem_does_not_take_are_told(case):
    problem, x, y, words = REFUSED[case]
    with pytest.raises(AtlasError, match=words) as told:
        problem.check(fa.clients({"ann": (x, y)}))
    assert "\n" not in str(told.value)


def test_what_a_problem_takes_is_not_refused():
    fa.problems.quadratic(start=1.0).check(fa.clients({"ann": (np.ones((4, 1)), [0.5, 1, 2, 3])}))
    fa.problems.matrix_regression().check(fa.clients({"ann": (np.ones((4, 3, 2)), [0.5, 1, 2, 3])}))
    CNN.check(fa.clients({"ann": (BYTES, LABELS)}))
    CNN.check(fa.clients({"ann": (np.zeros((4, 8, 8, 3), np.uint8), LABELS)}))
    LSTM.check(fa.clients({"ann": (TOKENS, LABELS)}))
    fa.problems.softmax().check(fa.clients({"ann": (BYTES, LABELS)}))


def test_every_problem_that_does_not_flatten_its_inputs_has_a_kind():
    assert {*TASKS} - {*KINDS} == {"mlp", "multinomial_logistic"}
