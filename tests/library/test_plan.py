"""What a comparison refuses and what it warns of, before any round; nothing here needs TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from given_clients import points

import fedatlas as fa
from fedatlas.algorithms import algorithms as fa_algorithms
from fedatlas.algorithms.fedavg import FedAvg
from fedatlas.config import validate
from fedatlas.errors import AtlasError
from fedatlas.library.arguments import Arguments
from fedatlas.library.plan import Asked, plan
from fedatlas.library.suits import unsuited

MIXTURE = fa.problems.softmax(start="glorot", components=2)
SOFTMAX = fa.problems.softmax()
L1 = fa.problems.softmax(penalty=fa.prox.l1(0.05))
USUAL = {
    "algorithms": ["fedavg", "feddualavg"], "problem": SOFTMAX, "grid": {}, "rounds": 40, "batch_size": 4,
}  # fmt: skip


@dataclass(frozen=True)
class Mine(FedAvg):
    """An algorithm of a user's own."""

    name, citation, colour = "Mine", "this test", "#123456"


def planned(clients, **changes):
    given = {**USUAL, **changes}
    what = [given.pop(name) for name in ("algorithms", "problem", "grid")]
    return plan(Asked(what[0], what[1], clients, what[2], validate(given, Arguments, "fa.compare")))


def test_a_single_entry_of_the_gallery_is_one_algorithm(clients):
    assert list(planned(clients, algorithms=fa.algorithms.fedavg).algorithms) == ["fedavg"]
    assert "fedavgg" not in fa.algorithms and fa.algorithms.get("fedavgg") is None
    assert fa.algorithms.get("fedavg").id == "fedavg"


def test_every_algorithm_can_be_asked_for(clients):
    """With what it needs; the usual grids are within all bounds."""
    for name in fa.algorithms:
        needs = fa.algorithms[name].abilities
        problem = MIXTURE if needs.mixes else SOFTMAX
        graph = {"probability": 1.0, "weights": "metropolis"} if needs.graph else None
        size = "full" if name == "scaffnew" else 4
        experiment = planned(clients, algorithms=[name], problem=problem, graph=graph, batch_size=size)
        assert experiment.for_algorithm(name).training.rounds == 40


def test_the_plan_is_what_was_asked(clients):
    experiment = planned(
        clients, algorithms={"fedprox": {"mu": 0.5}, "fedavg": {}}, grid={"client_lr": [0.1]}, seeds=(3, 4)
    )
    assert experiment.for_algorithm("fedprox").sweep == {"client_lr": (0.1,), "server_lr": (1.0,), "mu": (0.5,)}
    assert experiment.for_algorithm("fedavg").sweep == {"client_lr": (0.1,), "server_lr": (0.3, 1.0, 3.0)}
    assert experiment.seeds.sweep == (3,) and experiment.seeds.tuned == (4,)
    assert experiment.evaluation.every == 2 and experiment.training.local_epochs == 1


def test_a_grid_may_be_given_by_class_or_by_what_the_atlas_lists(clients, monkeypatch):
    monkeypatch.setattr(fa_algorithms, "_added", {})
    entry, grid = fa.algorithms.fedavg, {"client_lr": [0.7], "server_lr": [1.0]}
    for asked, more in (({entry: grid, Mine: grid}, {}), ([entry, Mine], {entry: grid, Mine: grid})):
        experiment = planned(clients, algorithms=asked, grid=more)
        assert [experiment.for_algorithm(name).sweep["client_lr"] for name in ("fedavg", "mine")] == [(0.7,)] * 2


def test_an_own_algorithm_need_not_say_its_name_paper_and_colour(clients, monkeypatch):
    monkeypatch.setattr(fa_algorithms, "_added", {})
    own = [type(name, (FedAvg,), {"__module__": "__main__"}) for name in ("First", "Second")]
    experiment = planned(clients, algorithms=["fedavg", *own])
    assert list(experiment.algorithms) == ["fedavg", "first", "second"]
    assert [(cls.name, cls.citation) for cls in own] == [("First", "ours"), ("Second", "ours")]
    assert len({FedAvg.colour, *(cls.colour for cls in own)}) == 3
    assert FedAvg.name == "FedAvg" and planned(clients, algorithms=own)


def test_algorithms_that_figures_could_not_tell_apart_are_refused(clients, monkeypatch):
    monkeypatch.setattr(fa_algorithms, "_added", {})
    own = type("Own", (FedAvg,), {"__module__": "__main__", "name": "FedAvg"})
    with pytest.raises(AtlasError, match="fedavg and own are both called 'FedAvg': give one of them another `name`"):
        planned(clients, algorithms=["fedavg", own])


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"colour": "red"}, "the colour of Odd is 'red', but must be one such as '#"),
        ({"name": 3}, "the name of Odd is 3, but must be text, such as 'Odd'"),
    ],
)
def test_what_an_own_algorithm_says_of_itself_is_checked(clients, monkeypatch, said, words):
    monkeypatch.setattr(fa_algorithms, "_added", {})
    with pytest.raises(AtlasError, match=words):
        planned(clients, algorithms=[type("Odd", (FedAvg,), {"__module__": "__main__", **said})])


def test_hyperparameters_are_never_selected_on_test_examples_unasked(clients):
    assert (planned(clients).select.split, planned(clients).select.metric) == ("train", "objective")
    validated = fa.clients(points(0), validation=points(2), test=points(1))
    assert planned(validated).select.split == "validation"


def notes(clients, **changes):
    return unsuited(planned(clients, **changes), clients)


def test_nothing_is_noted_where_all_fits(clients):
    assert notes(clients) == []
    assert notes(clients, problem=L1, algorithms=["feddualavg"]) == []


def test_an_ignored_penalty_is_noted(clients):
    (note,) = notes(clients, problem=L1, algorithms=["fedavg", "fedprox", "feddualavg"])
    assert note.startswith("FedAvg and FedProx ignore the penalty l1")


def test_unequal_steps_are_noted_where_they_matter():
    clients = fa.clients(points(2, (4, 12)), classes=3)
    (note,) = notes(clients, algorithms=["fedavg", "fednova", "scaffold"])
    assert note.startswith("clients take 1 to 3 local steps, and in FedAvg those that take more count for more")
    assert notes(clients, algorithms=["fedavg"], local_steps=2) == []
    assert notes(clients, algorithms=["fedavg"], batch_size=12) == []


def test_weights_of_an_algorithm_s_own_are_noted():
    unequal = fa.clients(points(2, (4, 12)), classes=3)
    cluster = {"algorithms": ["fedavg", "clustered_fl"], "local_steps": 2}
    assert notes(unequal, **cluster) == []
    (note,) = notes(unequal, weighting="uniform", **cluster)
    assert note.startswith("Clustered FL gives clients weights by their examples, where 'weighting' is 'uniform'")
    mixtures = {
        "algorithms": ["d_fedem"],
        "problem": MIXTURE,
        "local_steps": 2,
    }
    graph = {"probability": 1.0, "weights": "metropolis"}
    (note,) = notes(unequal, graph=graph, **mixtures)
    assert note.startswith("D-FedEM gives all clients the same weight, where 'weighting' is 'examples'")
    assert notes(unequal, graph=graph, weighting="uniform", **mixtures) == []


def test_exact_solutions_are_noted(clients):
    (note,) = notes(clients, algorithms=["fedavg", "feddyn"])
    assert note.startswith("FedDyn solves local problems on all examples of a client")


def test_a_graph_along_which_no_client_talks_is_noted(clients):
    graph = {"probability": 1.0, "weights": "metropolis"}
    (note,) = notes(clients, graph=graph)
    assert (
        note == "FedAvg and FedDualAvg ignore 'graph', along which clients of other algorithms talk, without a server."
    )
    mixtures = {"algorithms": ["d_fedem"], "problem": MIXTURE}
    assert not any("graph" in note for note in notes(clients, graph=graph, **mixtures))


ERRORS = {
    "unknown algorithm": ({"algorithms": ["fednoova"]}, "unknown algorithm 'fednoova'.*did you mean 'fednova'"),
    "unknown rate": ({"grid": {"client_rate": [1]}}, "'grid' has the unknown name 'client_rate'.*mean 'client_lr'"),
    "rate of another": ({"grid": {"fedavg": {"mu": [1]}}}, "the grid of fedavg has the unknown name 'mu'"),
    "grid of another": ({"grid": {"fedprox": {"mu": [1]}}}, "'grid' has the unknown name 'fedprox'"),
    "negative rate": ({"grid": {"client_lr": [-1.0]}}, "holds -1, but client_lr of fedavg must be above 0"),
    "no rate": ({"grid": {"client_lr": []}}, "the grid of 'client_lr' must hold one or more different numbers"),
    "no algorithm": ({"algorithms": []}, "must name one or more algorithms"),
    "cohort": ({"cohort": 9}, "'cohort' is 9, but there are 4 clients"),
    "sampling": ({"algorithms": ["fedpd"], "cohort": 2}, "FedPD needs all clients in every round"),
    "momentum": (
        {"algorithms": ["fednova"], "local": {"momentum": 0.9}},
        "'local' has 'momentum', but FedNova is for plain",
    ),
    "momentum of duals": ({"algorithms": ["mocha"], "local": {"momentum": 0.9}}, "but MOCHA is for plain gradient"),
    "decay of duals": ({"algorithms": ["mocha"], "local": {"weight_decay": 0.1}}, "but MOCHA takes no gradients"),
    "decay": (
        {"algorithms": ["fedprox_vr"], "local": {"weight_decay": 0.1}},
        "FedProx-VR would not apply it to the full",
    ),
    "clipping at 1": (
        {"algorithms": ["fedpd_vr"], "local": {"clip_norm": 1}},
        "'local' has 'clip_norm', but FedPD-VR would not apply it to the full .*: leave one of the two out",
    ),
    "falling rate": ({"algorithms": ["feddr"], "local": {"client_lr_decay": 0.9}}, "but FedDR has no client_lr: leave"),
    "mixture": ({"algorithms": ["fedem"]}, r"FedEM mixes models: say how many.*components=3"),
    "components at zero": (
        {"algorithms": ["fedem"], "problem": fa.problems.softmax(components=2)},
        "starts all 2 components at zero, where they stay equal: give it 'start: glorot'",
    ),
    "kept momentum": (
        {"algorithms": ["centralized"], "local": {"momentum": 0.9, "keeps_momentum": True}},
        "'local' has 'keeps_momentum', but centralized trains one model on all examples, and no client keeps anything",
    ),
    "graph": (
        {"algorithms": ["d_fedem"], "problem": MIXTURE},
        "talk along a graph",
    ),
    "drawn steps": ({"algorithms": ["scaffnew"]}, "'batch_size: full', for Scaffnew draws how many local"),
    "rounds": ({"rounds": 0}, "'rounds' is 0, but must be above 0"),
    "two classes": ({"problem": fa.problems.logistic()}, "binary_logistic tells two classes apart, but there are 3"),
    "bytes": ({"problem": fa.problems.leaf_cnn(filters=[2, 2], units=4)}, "leaf_cnn takes images, but inputs"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_a_mistake_is_told_before_any_round(clients, case):
    options, words = ERRORS[case]
    with pytest.raises(AtlasError, match=words) as told:
        planned(clients, **options)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(("algorithm", "grid"), [("dualfl", {}), ("centralized_exact", {"strength": [0, 1]})])
def test_what_nothing_makes_strongly_convex_is_not_solved_by_its_dual(algorithm, grid):
    halves = fa.clients({"ann": (X, [0, 1, 0, 1])})
    with pytest.raises(AtlasError, match="'problem.mu' is 0, but .* needs a strongly convex problem: give a number ab"):
        planned(halves, algorithms=[algorithm], problem=fa.problems.hinge(), grid=grid)
    assert planned(halves, algorithms=[algorithm], problem=fa.problems.hinge(mu=0.1), grid=grid)
    assert planned(halves, algorithms=["feddyn", "fedavg"], problem=fa.problems.hinge())


X = np.ones((4, 3))
NUMBERS = np.array([0.5, 1.0, 1.5, 2.0])
SHAPES = {
    "a column": (fa.problems.linear(), NUMBERS[:, None], r"the shape \[1\].* one number .*: give y.ravel\(\)"),
    "without intercept": (fa.problems.least_squares(), NUMBERS[:, None], r"give y.ravel\(\)"),
    "classes": (SOFTMAX, [[0], [1], [0], [1]], r"the shape \[1\].* one label .*: give y.ravel\(\)"),
    "two classes": (fa.problems.logistic(), [[0], [1], [0], [1]], r"give y.ravel\(\)"),
    "two numbers": (fa.problems.linear(), np.ones((4, 2)), r"the shape \[2\].*: give one column of y"),
    "one-hot": (SOFTMAX, np.eye(4, dtype=int), r"the shape \[4\].*: give y.argmax\(1\) if they are one-hot"),
    "one-hot with fractions": (SOFTMAX, np.eye(4), r"give y.argmax\(1\)"),
}


@pytest.mark.parametrize("case", SHAPES)
def test_labels_of_another_shape_are_refused(case):
    problem, y, words = SHAPES[case]
    with pytest.raises(AtlasError, match=words):
        problem.check(fa.clients({"ann": (X, y)}))


@pytest.mark.parametrize(
    ("problem", "y", "words"),
    [
        (SOFTMAX, [1, 2, 3, 1], "no label is 0: .* give classes=4 to fa.clients"),
        (fa.problems.logistic(), [1, 2, 2, 1], "no label is 0"),
        (SOFTMAX, [0, 10**7, 0, 1], "only 3 of the labels 0 to 10000000 occur"),
    ],
)
def test_classes_that_are_not_numbered_from_0_on_are_refused(problem, y, words):
    with pytest.raises(AtlasError, match=words):
        problem.check(fa.clients({"ann": (X, y)}))


def test_classes_that_are_given_need_not_occur_and_whole_numbers_may_be_predicted():
    SOFTMAX.check(fa.clients({"ann": (X, [1, 2, 3, 1])}, classes=8))
    fa.problems.linear().check(fa.clients({"ann": (X, [20, 35, 61, 44])}))


def test_labels_may_have_axes_where_a_problem_takes_them():
    fa.problems.nearest_point().check(fa.clients({"ann": (X, NUMBERS[:, None])}))
    lstm = fa.problems.lstm(embedding=2, units=2, layers=1, dropout=0.0)
    lstm.check(fa.clients({"ann": (X.astype(int), X.astype(int))}, classes=2))
    with pytest.raises(AtlasError, match="lstm needs one label"):
        lstm.check(fa.clients({"ann": (X.astype(int), X[:, :2].astype(int))}, classes=2))


def test_what_belongs_together_is_checked(clients):
    with pytest.raises(AtlasError, match="'problem' is 'softmax', but must be one of fa.problems"):
        fa.compare(["fedavg"], "softmax", clients)
    with pytest.raises(AtlasError, match="'clients' is of type dict, but must be made by fa.clients"):
        fa.compare(["fedavg"], SOFTMAX, {})
    with pytest.raises(AtlasError, match="labels of train client 'ann' are of a type .*: number the classes, as whole"):
        planned(fa.clients({"ann": ([[1.0], [2.0]], [0.5, 1.5])}))
    with pytest.raises(AtlasError, match=r"labels of test client 'bob' are of a type .*: give y.astype\(int\)"):
        planned(fa.clients({"ann": ([[1.0], [2.0]], [0, 1])}, test={"bob": ([[1.0]], [1.0])}))
    with pytest.raises(AtlasError, match=r"takes vectors, but inputs have the shape \[\]: give x\[:, None\]"):
        planned(fa.clients({"ann": ([1.0, 2.0], [0, 1])}), problem=fa.problems.logistic())
    with pytest.raises(AtlasError, match="takes vectors, but inputs have the shape"):
        planned(fa.clients({"ann": ([[[1.0]], [[2.0]]], [0, 1])}), problem=fa.problems.logistic())
    other = fa.clients(points(0), test=(points(1)["client 0"]), classes=3)
    with pytest.raises(
        AtlasError, match="APFL gives every client a model of its own, .*'test' has no client 'client 0'"
    ):
        planned(other, algorithms=["apfl"])
    more = fa.clients(points(0), test=points(1) | {"eve": points(1)["client 0"]}, classes=3)
    with pytest.raises(AtlasError, match="'test' has the client 'eve', which 'train' does not have"):
        planned(more, algorithms=["apfl"])


def test_clients_of_another_split_may_come_in_another_order():
    turned = fa.clients(points(0), test=dict(reversed(points(1).items())), classes=3)
    assert turned.digest == fa.clients(points(0), test=points(1), classes=3).digest
    assert planned(turned, algorithms=["apfl"])
