"""What an algorithm can do, by what it says of itself."""

from __future__ import annotations

from typing import NamedTuple

from fedatlas.algorithms import (
    Algorithm,
    Composite,
    Decentralised,
    ExactLocal,
    MixtureLearner,
    PerExample,
    Personal,
    PlainSteps,
    Synchronised,
)


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
        weights=cls.weighting == "given",
        state=cls.init_client is not Algorithm.init_client,
        exact=issubclass(cls, ExactLocal),
        own_models=issubclass(cls, Personal),
        mixes=issubclass(cls, MixtureLearner),
        graph=issubclass(cls, Decentralised),
        federated=cls.data == "cohort",
    )


def refusal(cls: type[Algorithm]) -> str:
    """Why an algorithm cannot be a LearningProcess, with clients that keep nothing; else nothing."""
    reasons = {
        "has no server: its clients talk to each other": issubclass(cls, Decentralised),
        "solves local problems exactly, on all examples of a client at once": issubclass(cls, ExactLocal),
        "communicates nothing: it trains on one pool of examples": cls.data != "cohort",
        "changes the states of all clients together after a round": issubclass(cls, Synchronised),
        "keeps a value for every example of a client": issubclass(cls, PerExample),
        "lets clients keep a state from round to round": cls.init_client is not Algorithm.init_client,
        "gives every client a model of its own": issubclass(cls, Personal),
    }
    return next((reason for reason, applies in reasons.items() if applies), "")
