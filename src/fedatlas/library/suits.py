"""What an algorithm does and does not do, and what a study asks of it beyond that.

Where the result would not be that algorithm any more it is an error, raised by `plan`; all else is a sentence of the
study, so that no comparison is unfair without a word.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from fedatlas.algorithms import (
    Algorithm,
    Composite,
    Decentralised,
    ExactLocal,
    MixtureLearner,
    Personal,
    PlainSteps,
    Synchronised,
    algorithms,
)
from fedatlas.experiments.spec import Experiment
from fedatlas.formatting import listed
from fedatlas.library.clients import Clients
from fedatlas.results.run import Run


class Abilities(NamedTuple):
    """What an algorithm can do.

    Attributes:
        penalty: it minimises F + psi; else it ignores psi.
        momentum: local steps may have momentum.
        unequal_steps: clients that take more local steps than others do not move its solution.
        sampling: a part of the clients may take part in a round.
        weights: clients may have weights in its means.
        state: clients keep something from round to round.
        exact: clients solve their problems, instead of taking steps.
        own_models: every client has a model of its own.
        mixes: it learns a mixture of models.
        graph: clients talk to each other; there is no server.
        federated: it communicates; else it is a baseline.
    """

    penalty: bool
    momentum: bool
    unequal_steps: bool
    sampling: bool
    weights: bool
    state: bool
    exact: bool
    own_models: bool
    mixes: bool
    graph: bool
    federated: bool


def abilities(cls: type[Algorithm]) -> Abilities:
    """What an algorithm says of itself by its base classes and attributes."""
    return Abilities(
        penalty=issubclass(cls, Composite),
        momentum=not issubclass(cls, PlainSteps | ExactLocal),
        unequal_steps=cls.steps == "unequal" or issubclass(cls, ExactLocal),
        sampling=cls.participation == "any",
        weights=not issubclass(cls, Synchronised | Decentralised),  # those deal with all clients by rules of their own
        state=cls.init_client is not Algorithm.init_client,
        exact=issubclass(cls, ExactLocal),
        own_models=issubclass(cls, Personal),
        mixes=issubclass(cls, MixtureLearner),
        graph=issubclass(cls, Decentralised),
        federated=cls.data == "cohort",
    )


def unsuited(experiment: Experiment, clients: Clients) -> list[str]:
    """Sentences about what the experiment asks of its algorithms and they do not do."""
    able = {name: abilities(algorithms[experiment.variant(name).algorithm]) for name in experiment.algorithms}
    found = [
        _penalty(experiment, able),
        _unequal(experiment, able, clients),
        _weights(experiment, able, clients),
        _exact(experiment, able),
    ]
    return [sentence for sentence in found if sentence]


def at_the_edge(run: Run) -> str:
    """A sentence where the best configuration has the least or the greatest value that a grid tried; else nothing."""
    values = {name: sorted({one[name] for one in run.grid}) for name in run.varied}
    chosen = {name: run.configuration[name] for name in values}
    edges = [f"{name} {value:g}" for name, value in chosen.items() if value in (values[name][0], values[name][-1])]
    if not edges:
        return ""
    return f"the best {listed(edges)} of {run.name} {'lies' if len(edges) == 1 else 'lie'} at the edge of its grid."


def _penalty(experiment: Experiment, able: Mapping[str, Abilities]) -> str:
    penalty = experiment.problem.penalty
    without = _names(experiment, able, lambda own: not own.penalty)
    if penalty.name == "zero" or not without:
        return ""
    return (
        f"{_do(without, 'ignores', 'ignore')} the penalty {penalty.name} and minimise the loss alone: on the "
        "objective, which holds the penalty, the comparison is not fair."
    )


def _unequal(experiment: Experiment, able: Mapping[str, Abilities], clients: Clients) -> str:
    training = experiment.training
    without = _names(experiment, able, lambda own: own.federated and not own.unequal_steps and not own.own_models)
    if training.local_epochs is None or training.batch_size == "full" or not without:
        return ""
    sizes = [len(client.y) for client in clients.splits["train"]]
    fewest, most = (math.ceil(size / training.batch_size) * training.local_epochs for size in (min(sizes), max(sizes)))
    if fewest == most:
        return ""
    return (
        f"clients take {fewest} to {most} local steps, and in {listed(without)} those that take more count for more: "
        "another mean of the clients' objectives is minimised. Give 'local_steps', or see FedNova."
    )


def _weights(experiment: Experiment, able: Mapping[str, Abilities], clients: Clients) -> str:
    without = _names(experiment, able, lambda own: own.federated and not own.weights)
    unequal = len({len(client.y) for client in clients.splits["train"]}) > 1
    if experiment.training.weighting == "uniform" or not unequal or not without:
        return ""
    return (
        f"{_do(without, 'gives', 'give')} all clients the same weight, where 'weighting' is 'examples': "
        "another mean of the clients' objectives is minimised than in the others."
    )


def _exact(experiment: Experiment, able: Mapping[str, Abilities]) -> str:
    exact = _names(experiment, able, lambda own: own.exact)
    if not exact:
        return ""
    return (
        f"{_do(exact, 'solves', 'solve')} local problems on all examples of a client, without batches: a round costs "
        "more gradients than one of the others; compare against 'gradients', too."
    )


def _names(experiment: Experiment, able: Mapping[str, Abilities], which) -> list[str]:
    return [algorithms[experiment.variant(name).algorithm].name for name, own in able.items() if which(own)]


def _do(names: list[str], one: str, many: str) -> str:
    return f"{listed(names)} {one if len(names) == 1 else many}"
