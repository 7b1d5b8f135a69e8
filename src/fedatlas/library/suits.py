"""What an algorithm does and does not do, and what a study asks of it beyond that.

Where the result would not be that algorithm any more it is an error, raised by `plan`; all else is a sentence of the
study, so that no comparison is unfair without a word.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from fedatlas.about.abilities import Abilities, abilities
from fedatlas.algorithms import algorithms
from fedatlas.claims.references import on_edge
from fedatlas.experiments.spec import Experiment
from fedatlas.formatting import listed
from fedatlas.library.clients import Clients
from fedatlas.results.run import Run

OTHER_WEIGHTS = {  # than 'weighting' asks for: that of an algorithm, and in words
    "examples": ("alike", "all clients the same weight"),
    "uniform": ("examples", "clients weights by their examples"),
}


def unsuited(experiment: Experiment, clients: Clients) -> list[str]:
    """Sentences about what the experiment asks of its algorithms and they do not do."""
    able = {name: abilities(algorithms[experiment.variant(name).algorithm]) for name in experiment.algorithms}
    found = [
        _penalty(experiment, able),
        _unequal(experiment, able, clients),
        _weights(experiment, clients),
        _exact(experiment, able),
        _graph(experiment, able),
    ]
    return [sentence for sentence in found if sentence]


def at_the_edge(run: Run) -> str:
    """A sentence where the best configuration has the least or the greatest value that a grid tried; else nothing."""
    edges = [f"{name} {run.configuration[name]:g}" for name in on_edge(run)]
    if not edges:
        return ""
    return f"the best {listed(edges)} of {run.name} {'lies' if len(edges) == 1 else 'lie'} at the edge of its grid."


def _penalty(experiment: Experiment, able: Mapping[str, Abilities]) -> str:
    penalty = experiment.problem.penalty
    without = _names(experiment, able, lambda own: not own.penalty)
    if penalty.name == "zero" or not without:
        return ""
    return (
        f"{_do(without, 'ignores', 'ignore')} the penalty {penalty.name}, so that the loss alone is minimised: on the "
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


def _weights(experiment: Experiment, clients: Clients) -> str:
    asked = experiment.training.weighting
    own, words = OTHER_WEIGHTS[asked]
    methods = [algorithms[experiment.variant(name).algorithm] for name in experiment.algorithms]
    without = [cls.name for cls in methods if cls.weighting == own]
    unequal = len({len(client.y) for client in clients.splits["train"]}) > 1
    if not unequal or not without:
        return ""
    return (
        f"{_do(without, 'gives', 'give')} {words}, where 'weighting' is '{asked}': "
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


def _graph(experiment: Experiment, able: Mapping[str, Abilities]) -> str:
    if experiment.training.graph is None or any(own.graph for own in able.values()):
        return ""
    ignoring = _do(_names(experiment, able, lambda _: True), "ignores", "ignore")
    return f"{ignoring} 'graph', along which clients of other algorithms talk, without a server."


def _names(experiment: Experiment, able: Mapping[str, Abilities], which) -> list[str]:
    return [algorithms[experiment.variant(name).algorithm].name for name, own in able.items() if which(own)]


def _do(names: list[str], one: str, many: str) -> str:
    return f"{listed(names)} {one if len(names) == 1 else many}"
