"""From what `fa.compare` is asked for to an experiment, as the files of config/experiments are."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fedatlas.about.meanings import default_grid
from fedatlas.algorithms import (
    Algorithm,
    Decentralised,
    ExactLocal,
    MixtureLearner,
    Personal,
    algorithms,
)
from fedatlas.config import validate
from fedatlas.errors import AtlasError
from fedatlas.experiments.fitting import check
from fedatlas.experiments.spec import Experiment
from fedatlas.experiments.work_fit import refused_option
from fedatlas.lazy import need_tensorflow
from fedatlas.library.arguments import Arguments
from fedatlas.library.clients import Clients
from fedatlas.library.own_class import register
from fedatlas.library.problems import ProblemChoice
from fedatlas.names import nearest

Grid = Mapping[str, Any]  # values by hyper-parameter, or by algorithm such a mapping
PAPER, ID = "own", "study"  # of every study, so that a new title runs nothing again
SOLVER = {"tolerance": 1e-10, "most_iterations": 200}


@dataclass(frozen=True)
class Asked:
    """What `fa.compare` is asked for, see there; `own` is what was checked one by one."""

    algorithms: Any
    problem: ProblemChoice
    clients: Clients
    grid: Grid
    own: Arguments
    names: list[str] = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "names", _names(self.algorithms))


def plan(asked: Asked) -> Experiment:
    """The experiment, checked as one of a file is.

    Raises:
        AtlasError: on an unknown algorithm or hyper-parameter, a value out of bounds, or what does not fit together.
    """
    asked.problem.check(asked.clients)
    grids, own = _grids(asked), asked.own
    content = {
        "paper": PAPER,
        "id": ID,
        "scale": "paper",
        "figure": "Comparison",
        "title": own.title,
        "question": "Which algorithm does best on these clients, each with its best hyper-parameters?",
        "dataset": asked.clients.dataset,
        "problem": asked.problem.about,
        "training": _training(asked),
        "evaluation": {"every": own.every or max(1, own.rounds // 20), "splits": tuple(asked.clients.splits)},
        "sweep": {},
        "select": _selection(asked),
        "seeds": {"sweep": own.seeds[:1], "tuned": own.seeds[1:]},
        "algorithms": {name: {"sweep": grids[name]} | _own_settings(asked, name) for name in asked.names},
    }
    experiment = validate(content, Experiment, "the study")
    check(experiment, Path("the study"))
    return experiment


def _names(asked: Any) -> list[str]:
    """The names of the algorithms, of which classes are registered by theirs."""
    single = isinstance(asked, str | type) or hasattr(asked, "id")
    if not single and not isinstance(asked, Iterable):
        raise AtlasError(f"'algorithms' is {asked!r}, but must name algorithms, or be classes of your own.")
    entries = [asked] if single else [*asked]
    names = [_name(entry) for entry in entries]
    if not names or len(set(names)) < len(names):
        raise AtlasError(f"'algorithms' is {names}, but must name one or more algorithms, each once.")
    _check_labels(names)
    return names


def _check_labels(names: list[str]) -> None:
    """Checks that figures can tell the algorithms apart."""
    called: dict[str, str] = {}
    for name in names:
        other = called.setdefault(label := algorithms[name].name, name)
        if other != name:
            raise AtlasError(f"{other} and {name} are both called '{label}': give one of them another `name`.")


def _name(entry: Any) -> str:
    if isinstance(entry, type) and issubclass(entry, Algorithm):
        name = entry.__module__.rsplit(".", 1)[-1]
        if name in algorithms and algorithms[name] is entry:
            return name
        register(entry.__name__.lower(), entry)
        return entry.__name__.lower()
    name = getattr(entry, "id", entry)
    if not isinstance(name, str):
        raise AtlasError(f"'algorithms' holds {entry!r}, but must hold names, such as 'fedavg', or classes.")
    algorithms[name]  # an unknown one is told
    return name


def _grids(asked: Asked) -> dict[str, dict[str, tuple[float, ...]]]:
    """The grid of every algorithm: its own, with what is given for all, and with what is given for it."""
    known = {name: set(algorithms[name].hyperparameters()) for name in asked.names}
    if not isinstance(asked.grid, Mapping):
        raise AtlasError(f"'grid' is {asked.grid!r}, but must be a mapping such as {{'client_lr': [0.01, 0.1]}}.")
    given_here = asked.algorithms.values() if isinstance(asked.algorithms, Mapping) else ()
    own = dict(zip(asked.names, given_here, strict=False))
    for name, value in own.items():
        if not isinstance(value, Mapping | None):
            raise AtlasError(f"the grid of {name} is {value!r}, but must be a mapping such as {{'client_lr': [0.1]}}.")
    named = {key if isinstance(key, str) else _name(key): value for key, value in asked.grid.items()}
    of_one = {name: value for name, value in named.items() if isinstance(value, Mapping)}
    of_all = {name: value for name, value in named.items() if name not in of_one}
    everything = set(itertools.chain(*known.values()))
    for name in of_all:
        _known(name, everything, "'grid'", ", ".join(asked.names))
    for name in of_one:
        _known(name, set(asked.names), "'grid'", "'algorithms'")
    found = {}
    for name in asked.names:
        given = {key: values for key, values in of_all.items() if key in known[name]}
        given |= dict(own.get(name) or {}) | dict(of_one.get(name, {}))
        for key in given:
            _known(key, known[name], f"the grid of {name}", name)
        usual = default_grid(name, sorted(known[name] - set(given)))
        found[name] = {key: _values(key, given.get(key, usual.get(key))) for key in algorithms[name].hyperparameters()}
    return found


def _known(name: str, there: Iterable[str], where: str, of: str) -> None:
    if name not in there:
        meant = f" (did you mean '{similar}'?)" if (similar := nearest(name, there)) else ""
        raise AtlasError(f"{where} has the unknown name '{name}'{meant}; known to {of}: {', '.join(sorted(there))}.")


def _values(name: str, given: Any) -> tuple[float, ...]:
    try:
        if isinstance(given, str) or np.asarray(given).dtype == bool:
            raise TypeError
        return tuple(map(float, [given] if np.ndim(given) == 0 else given))
    except (TypeError, ValueError) as error:
        raise AtlasError(f"the grid of '{name}' is {given!r}, but must hold numbers.") from error


def _training(asked: Asked) -> dict[str, Any]:
    own = asked.own
    epochs = 1 if own.local_epochs is None and own.local_steps is None else own.local_epochs
    content = {
        "rounds": own.rounds, "cohort": _cohort(asked), "local_epochs": epochs, "local_steps": own.local_steps,
        "batch_size": own.batch_size, "weighting": own.weighting, "precision": own.precision,
        "local": own.local or None, "graph": own.graph or None,
    }  # fmt: skip
    return {key: value for key, value in content.items() if value is not None}


def _own_settings(asked: Asked, name: str) -> dict[str, Any]:
    """What an algorithm needs besides: a solver, all examples, components, its own models measured."""
    cls, found = algorithms[name], {}
    _check_local(cls, asked.own.local or {})
    if issubclass(cls, ExactLocal):
        found["training"] = {"local_epochs": None, "local_steps": 0, "batch_size": "full", "solver": SOLVER}
    if issubclass(cls, MixtureLearner):
        if asked.problem.components is None:
            raise AtlasError(
                f"{cls.name} mixes models: say how many, such as fa.problems.softmax(start='glorot', components=3)."
            )
        found["problem"] = {"components": asked.problem.components}
    if issubclass(cls, Personal):
        _check_own_examples(cls, asked.clients)
        found["evaluation"] = {"personal": True}
    if issubclass(cls, Decentralised) and asked.own.graph is None:
        raise AtlasError(
            f"the clients of {cls.name} talk along a graph: give "
            "graph={'probability': 0.5, 'weights': 'metropolis'}, or leave it out."
        )
    return found


def _check_local(cls: type[Algorithm], local: Mapping[str, Any]) -> None:
    """Checks that an algorithm can have the options of the local steps, which hold for all algorithms of a study."""
    if refused := refused_option(cls, local):
        key, why = refused
        raise AtlasError(f"'local' has '{key}', but {cls.name} {why}: leave one of the two out.")


def _check_own_examples(cls: type[Algorithm], clients: Clients) -> None:
    """Checks that clients can be measured on examples of their own, where each has a model of its own."""
    train = dict.fromkeys(client.id for client in clients.splits["train"])
    for split, own in clients.splits.items():
        there = dict.fromkeys(client.id for client in own)
        absent, more = [id for id in train if id not in there], [id for id in there if id not in train]
        if absent or more:
            what = f"no client '{absent[0]}'" if absent else f"the client '{more[0]}', which 'train' does not have"
            raise AtlasError(
                f"{cls.name} gives every client a model of its own, which is measured on the client's own examples, "
                f"but '{split}' has {what}: give it as a dict with the clients of 'train'."
            )


def _cohort(asked: Asked) -> int | str:
    """The number of clients in a round; "all" where it is all of them."""
    cohort, number = asked.own.cohort, len(asked.clients.splits["train"])
    if isinstance(cohort, int) and cohort > number:
        raise AtlasError(f"'cohort' is {cohort}, but there are {number} clients: give at most that, or 'all'.")
    for name in asked.names:
        if algorithms[name].participation == "full" and cohort not in ("all", number):
            raise AtlasError(
                f"{algorithms[name].name} needs all clients in every round, but 'cohort' is {cohort}: give "
                "'all', or leave the algorithm out."
            )
    return "all" if cohort == number else cohort


def _selection(asked: Asked) -> dict[str, Any]:
    """By what is asked for; else by the loss on validation examples, else by the objective on training examples."""
    if asked.own.select is not None:
        split, metric, best = asked.own.select
        need_tensorflow()  # finds out on one example what is measured
        known = asked.problem.metrics(asked.clients)
        if (split, metric) not in known:
            there = ", ".join(sorted(" ".join(pair) for pair in known))
            raise AtlasError(f"'select' names {split} {metric}, which is not measured; there are: {there}.")
    elif "validation" in asked.clients.splits:
        split, metric, best = "validation", "loss", "lowest"
    else:
        split, metric, best = "train", "objective", "lowest"
    return {"metric": metric, "split": split, "best": best, "over_last": 1}
