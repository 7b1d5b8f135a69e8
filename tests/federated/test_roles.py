"""What a user is told of a mistake in an algorithm of their own: one sentence that names the role and the line."""

from __future__ import annotations

import inspect
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

import fedatlas as fa
from fedatlas.algorithms.base import Algorithm, Array, Server, Update, positive
from fedatlas.errors import AtlasError
from fedatlas.federated.roles import speaking

W, ROUND = tf.ones([2, 1, 3]), tf.ones([1, 1, 1])
F = namedtuple("F", "gradient")(lambda w: w)
CALLS = {
    "step": (W, ROUND, Server(W), (), F),
    "finish": (W, ROUND, Server(W), ()),
    "update_server": (Server(W), Update(W), ROUND),
    "model": (Server(W),),
}


@dataclass(frozen=True)
class Mine(Algorithm):
    """FedAvg, as somebody might write it who has read CONTRIBUTING.md."""

    client_lr: Array = positive()

    def step(self, w, k, message, client, f):
        return w - self.client_lr * f.gradient(w)

    def update_server(self, server, mean, participation):
        return Server(server.params + mean.delta)


def told(role: str, body) -> str:
    """What is said when `role` of `Mine` is `body`."""
    cls = type("Mine", (Mine,), {role: body})
    with pytest.raises(AtlasError) as error:
        getattr(speaking(cls(client_lr=ROUND)), role)(*CALLS[role])
    return str(error.value)


def test_what_is_right_is_as_it_was():
    plain, algorithm = Mine(client_lr=ROUND), speaking(Mine(client_lr=ROUND))
    for role, arguments in CALLS.items():
        tf.nest.map_structure(
            np.testing.assert_array_equal, getattr(algorithm, role)(*arguments), getattr(plain, role)(*arguments)
        )


def test_a_class_that_forgot_to_be_a_dataclass():
    class Forgetful(Mine):
        momentum: Array = positive()

    with pytest.raises(AtlasError, match=r"^Forgetful declares momentum, but is no dataclass: write `@dataclass"):
        Forgetful.hyperparameters()


def test_a_role_that_is_not_written():
    def update_server(self, server, mean, participation):
        return Algorithm.update_server(self, server, mean, participation)

    assert told("update_server", update_server).startswith("Mine.update_server is not written")

    def without(self, server, mean, participation):
        raise NotImplementedError("L1Ball has no subgradient")

    assert told("update_server", without) == "Mine.update_server fails: L1Ball has no subgradient."


def test_a_role_that_takes_other_arguments():
    said = "Mine.step takes (w, f), but must take (local, k, message, client, f)."
    assert told("step", lambda self, w, f: w) == said


def test_a_mistake_is_told_with_its_line():
    def update_server(self, server, mean, participation):
        return Server(server.params + mean.detla)

    line = inspect.getsourcelines(update_server)[1] + 1
    said = f"Mine.update_server fails in test_roles.py, line {line}: AttributeError: 'Update' object has no attribute"
    assert told("update_server", update_server).startswith(said)


def test_a_tensor_in_an_if_is_told_with_what_to_use_instead():
    def step(self, w, k, message, client, f):
        return w if w[0, 0, 0] > 0.5 else w - f.gradient(w)

    algorithm = speaking(type("Mine", (Mine,), {"step": step})(client_lr=ROUND))
    traced = tf.function(lambda w: algorithm.step(w, *CALLS["step"][1:]), autograph=False)
    with pytest.raises(AtlasError, match=r"Mine\.step fails in test_roles\.py, line \d+: .* use `tf\.where` instead"):
        traced(W)


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (W, "returns [2, 1, 3], but must return what is like Server(params=[2, 1, 3])."),
        (Server(tf.reduce_mean(W)), "shape () is not (2, 1, 3)."),
        (Server(tf.cast(W, tf.float64)), "float64 is not float32."),
        (None, "returns nothing, but must return what is like Server("),
    ],
)
def test_a_server_state_of_another_kind(returned, words):
    said = told("update_server", lambda self, server, mean, participation: returned)
    assert said.startswith("Mine.update_server returns ") and words in said


def test_a_client_that_returns_no_state():
    said = told("finish", lambda self, local, k, message, client: Update(local))
    assert said == (
        "Mine.finish returns Update(delta=[2, 1, 3]), but must return two things: the update and the client's new "
        "state, () if it keeps none."
    )


def test_a_client_state_that_was_none_before():
    said = told("finish", lambda self, local, k, message, client: (Update(local), local))
    assert said == "Mine.finish returns [2, 1, 3] as the client's new state, but must return what is like ()."


def test_a_model_that_is_none():
    assert "but must return the reported model, [G, 1, d]" in told("model", lambda self, server: server)


def test_a_comparison_ends_with_the_sentence_and_needs_no_hyper_parameter():
    class Still(Algorithm):
        name, citation, colour = "Still", "nobody", "#000000"

        def step(self, w, k, message, client, f):
            return w - 0.1 * f.gradient(w)

    x = np.eye(4, dtype=np.float32)
    clients = fa.clients({"ann": (x, [0, 1, 0, 1]), "bob": (x, [1, 0, 0, 1])})
    problem = fa.problems.softmax()
    with pytest.raises(AtlasError, match=r"^Still\.update_server is not written"):
        fa.compare([Still], problem, clients, rounds=2, progress=False)
    Still.update_server = Mine.update_server
    study = fa.compare([Still], problem, clients, rounds=2, progress=False)
    assert study.best().loc["Still", "train objective"] < np.log(2)
