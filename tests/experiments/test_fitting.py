"""What must fit together in an experiment file: every mistake is one clear sentence."""

from __future__ import annotations

import pytest

from fedatlas.algorithms import algorithms
from fedatlas.errors import AtlasError
from fedatlas.experiments.runs import RunId
from fedatlas.experiments.spec import load_experiment

SOLVING, STEPPING = "dualfl/mnist", "fedpd/figure_2a"
ALGORITHMS = "algorithms__{}__{}".format
FEDPD = {"eta": [10], "skip": [0]}
MISTAKES = {
    "unknown reference": (SOLVING, {"reference": "optimum"}, "'reference' is 'optimum', .* 'algorithms': .*newton"),
    "reference left out": (SOLVING, {"algorithms__newton": ...}, "'reference' is 'newton', .* one of 'algorithms'"),
    "reference not measured": (
        SOLVING,
        {"evaluation__splits": ["test"]},
        "'evaluation.splits' has no 'train', .* 'reference' newton",
    ),
    "no solver": (
        SOLVING,
        {"training__solver": ...},
        r"'training' of dualfl has no 'solver' {tolerance, most_iterations}, which DualFL needs",
    ),
    "solver without an end": (
        SOLVING,
        {"training__solver": {"tolerance": 0}},
        "the key 'training.solver.most_iterations' is missing",
    ),
    "negative tolerance": (
        SOLVING,
        {"training__solver__tolerance": -1},
        "'training.solver.tolerance' is -1, but must be at least 0",
    ),
    "unknown key of the solver": (
        SOLVING,
        {"training__solver__speed": 1},
        "unknown key 'training.solver.speed' .* allowed here are: tolerance, most_iterations",
    ),
    "a scaled solver without a bound": (
        "dualfl/theorem_3_2",
        {"training__solver__scaling": "diagonal"},
        "has 'solver.scaling', which needs a problem that bounds its curvature: .* of these: multinomial_logistic",
    ),
    "steps for one that solves": (
        SOLVING,
        {ALGORITHMS("dualfl", "training"): {"local_steps": 3}},
        "'training' of dualfl must say 'local_steps: 0' and 'batch_size: full', for DualFL solves",
    ),
    "batches for one that solves": (
        SOLVING,
        {ALGORITHMS("dualfl", "training"): {"batch_size": 3}},
        "'training' of dualfl must say 'local_steps: 0' and 'batch_size: full', for DualFL solves",
    ),
    "no steps for one that steps": (
        STEPPING,
        {"training__local_steps": 0},
        "'training' of fedpd_gd has 'local_steps: 0', but FedPD takes local steps: give one or more",
    ),
    "decay of a rate that is not there": (
        SOLVING,
        {"training__local": {"client_lr_decay": 0.9}},
        "'training' of dualfl has 'local.client_lr_decay', but DualFL has no client_lr: set it to 1 in 'alg",
    ),
    "augmentation without batches": (
        "feddua/synthetic",
        {"training__local": {"augmentation": "crop_and_flip"}},
        "'training' of fedavg: 'local.augmentation' changes batches, but 'batch_size' is 'full': give a number",
    ),
    "momentum where steps are counted": (
        "feddua/synthetic",
        {
            "training__local": {"momentum": 0.9},
            "algorithms": {"fednova": {"sweep": {"client_lr": [0.1], "server_lr": [1]}}},
        },
        "'training' of fednova has 'local.momentum', but FedNova is for plain gradient steps: set it to 0 in",
    ),
    "momentum beside a correction": (
        "feddua/synthetic",
        {
            "training__local": {"momentum": 0.9},
            "algorithms": {"scaffold": {"sweep": {"client_lr": [0.1], "server_lr": [1]}}},
        },
        "'training' of scaffold has 'local.momentum', but SCAFFOLD is for plain gradient steps: set it to 0 in",
    ),
    "decay of differences of gradients": (
        STEPPING,
        {
            "training__local": {"weight_decay": 0.1},
        },
        "'training' of fedpd_vr has 'local.weight_decay', but FedPD-VR would not apply it to the full gradient that it",
    ),
    "a client that nothing makes strongly convex": (
        "dualfl/theorem_3_2",
        {"problem__mu": 0},
        "'problem.mu' is 0, but DualFL needs a strongly convex problem: give a number above 0",
    ),
    "batches for a number of steps that is drawn": (
        "dualfl/mnist",
        {ALGORITHMS("scaffnew", "training"): {"local_steps": 1, "batch_size": 5}},
        "'training' of scaffnew must say 'batch_size: full', for Scaffnew draws how many local steps a round has",
    ),
    "a model that the server does not send": (
        "fco/lasso_I",
        {"evaluation__personal": True},
        "'evaluation.personal' of .* measures what the server sends at every client, but .* reports another model",
    ),
    "unknown augmentation": (
        "feddua/synthetic",
        {"training__local": {"augmentation": "blur"}},
        "'training.local.augmentation' is 'blur', .*'crop_and_flip'",
    ),
    "mixture of nothing": (
        "feddua/synthetic",
        {"problem__components": 3},
        "'problem' of fedavg has 'components', but FedAvg mixes no models: leave it out",
    ),
    "one that mixes without a mixture": (
        "feddua/synthetic",
        {"algorithms": {"fedem": {"sweep": {"client_lr": [0.1], "stale": [0]}}}},
        "'problem' of fedem has no 'components', the number of models that FedEM mixes",
    ),
    "components that start alike": (
        "fedem/synthetic",
        {"problem__spread": 0},
        "'problem' of fedem starts all 3 components at zero, where they stay equal: give it 'start: glorot'",
    ),
    "peers without a graph": (
        "feddua/synthetic",
        {"training__cohort": "all", "algorithms": {"d_fedem": {"sweep": {"client_lr": [0.1]}}}},
        "'training' of d_fedem has no 'graph' {probability, weights} along which",
    ),
    "some clients where all are needed": (
        STEPPING,
        {"training__cohort": 5},
        "'training' of fedpd_gd has the cohort 5, but FedPD needs all clients: 'all'",
    ),
    "variant of nothing": (
        SOLVING,
        {ALGORITHMS("fedpd", "algorithm"): "fedwarp"},
        "'algorithms.fedpd': unknown algorithm 'fedwarp'; (did you mean 'fed|there are [0-9]+, such as fed)",
    ),
    "name of a colour": (
        SOLVING,
        {ALGORITHMS("fedpd", "colour"): "red"},
        "algorithm fedpd: 'colour': 'red' is not '#' and six hexadecimal digits, such as '#",
    ),
    "short colour": (SOLVING, {ALGORITHMS("fedpd", "colour"): "#f00"}, "algorithm fedpd: 'colour': '#f00' is not '#'"),
    "empty label": (
        SOLVING,
        {ALGORITHMS("fedpd", "label"): ""},
        "algorithm fedpd: 'label' is '', .* at least 1 letter long",
    ),
    "two curves of one name": (
        STEPPING,
        {ALGORITHMS("fedavg_gd", "label"): "FedPD-SGD"},
        "figures would call fedpd_sgd and fedavg_gd both 'FedPD-SGD'; give one of them another 'label'",
    ),
    "misspelt key of an entry": (
        SOLVING,
        {ALGORITHMS("fedpd", "color"): "#112233"},
        "fedpd has the unknown key 'color'; did you mean 'colour'",
    ),
    "key that no entry may change": (
        SOLVING,
        {ALGORITHMS("fedpd", "seeds"): {"sweep": [1], "tuned": []}},
        "fedpd has the unknown key 'seeds'; (did you mean|allowed there are)",
    ),
    "not at least": (
        SOLVING,
        {ALGORITHMS("fedpd", "sweep"): FEDPD | {"skip": [0, -0.1]}},
        "'sweep.skip' holds -0.1, but skip of fedpd must be at least 0",
    ),
    "not below": (
        SOLVING,
        {ALGORITHMS("fedpd", "sweep"): FEDPD | {"skip": [1]}},
        "'sweep.skip' holds 1, but skip of fedpd must be below 1",
    ),
    "not above": (
        SOLVING,
        {ALGORITHMS("fedpd", "sweep"): FEDPD | {"eta": [0]}},
        "'sweep.eta' holds 0, but eta of fedpd must be above 0",
    ),
    "not at most": (
        SOLVING,
        {ALGORITHMS("scaffnew", "sweep"): {"gamma": [0.1], "probability": [1.5]}},
        "'sweep.probability' holds 1.5, but probability of scaffnew must be at most 1",
    ),
    "a hyper-parameter of the algorithm, not of the entry's name": (
        STEPPING,
        {ALGORITHMS("fedpd_gd", "sweep"): {"eta": [0.1]}},
        r"the sweep of fedpd_gd has the keys \['eta'\], but its hyper-parameters are \['client_lr', 'eta', 'skip'\]",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_named(write, mistake):
    experiment, changes, sentence = MISTAKES[mistake]
    path = write(experiment, **changes)
    with pytest.raises(AtlasError, match=sentence) as caught:
        load_experiment(path, "paper")
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_bounds_hold_their_ends_as_they_say(write):
    ends = {"algorithms__scaffnew__sweep": {"gamma": [0.1], "probability": [1]}}
    ends |= {"algorithms__dualfl__sweep": {"rho": [0, 0.999], "nu": [0.01]}}
    experiment = load_experiment(write(SOLVING, **ends), "paper")
    assert RunId(experiment, "dualfl", 0).configurations[0] == {"rho": 0, "nu": 0.01}


def test_variants_run_an_algorithm_under_another_name(write):
    look = {"algorithms__fedpd__label": "FedPD, exact", "algorithms__fedpd__colour": "#ABCDEF"}
    experiment = load_experiment(write(SOLVING, **look), "paper")
    variant, own = (RunId(experiment, entry, 0) for entry in ("fedpd", "dualfl"))
    assert (variant.label, variant.colour, variant.method.__name__) == ("FedPD, exact", "#abcdef", "FedPDExact")
    assert (own.label, own.colour) == (own.method.name, own.method.colour)
    assert variant.reference_run == RunId(experiment, "newton", 0)
    assert RunId(experiment, "newton", 0).reference_run is None


@pytest.mark.parametrize("attribute", ["name", "citation", "colour"])
def test_a_class_that_does_not_describe_itself_is_told_before_any_run(write, attribute, monkeypatch):
    monkeypatch.delattr(algorithms["dualfl"], attribute)
    with pytest.raises(AtlasError, match=f"the class DualFL of 'dualfl' has no '{attribute}': give it one"):
        load_experiment(write(SOLVING), "paper")
