"""Which metrics a run will record: known from its experiment, before there is any data."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedatlas.algorithms import algorithms
from fedatlas.data import catalogue
from fedatlas.data.outline import Outline
from fedatlas.problems import Mixture, problems
from fedatlas.problems.base import Data, Measured, Problem
from fedatlas.prox import penalties

COSTS = ("communications", "bytes_down", "bytes_up", "gradient_evaluations", "seconds")
RECOVERY = ("weights_distance", "clusters")  # of a learned mixture, see `results/mixture_recovery.py`
Recorded = frozenset[tuple[str, str]]  # (split, metric)


class Entries:
    """What every entry of all experiments runs and records, each looked up once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, str], tuple[Any, Recorded | None]] = {}

    def resolved(self, experiment: Any, entry: str) -> Any:
        """The experiment as the entry runs it."""
        return self._of(experiment, entry)[0]

    def recorded(self, experiment: Any, entry: str) -> Recorded | None:
        """See `recorded`."""
        return self._of(experiment, entry)[1]

    def _of(self, experiment: Any, entry: str) -> tuple[Any, Recorded | None]:
        key = (experiment.scale, experiment.key, entry)
        if key not in self._found:
            resolved = experiment.for_algorithm(entry)
            self._found[key] = resolved, recorded(resolved, entry)
        return self._found[key]


def outline_of(resolved: Any) -> Outline | None:
    """What is known of the data set of an experiment, as an algorithm runs it; None if nothing is."""
    return catalogue.choose(resolved.dataset.name, resolved.dataset.options).outline


def recorded(resolved: Any, entry: str) -> Recorded | None:
    """(split, metric) of every value that a run of an entry records; None if that is not known before.

    Args:
        resolved: the experiment as the entry runs it.
    """
    outline = outline_of(resolved)
    if outline is None:
        return None
    measured, method = problem_of(resolved, outline).measured, algorithms[resolved.variant(entry).algorithm]
    found = {("model", name) for name in measured.parameters} | {("cost", name) for name in COSTS}
    found |= {("model", name) for name in getattr(method, "server_names", ())}
    if penalties[resolved.problem.penalty.name].indicator:
        found.add(("model", "violation"))
    for split in resolved.evaluation.splits:
        found |= {(split, name) for name in _of_split(split, measured, resolved, outline)}
    if resolved.reference not in (None, entry) and "train" in resolved.evaluation.splits:
        found |= {("train", "relative_energy_error"), ("model", "squared_solution_error")}
    if resolved.evaluation.personal and _mixes_as_the_truth(resolved, outline):
        found |= {("train", name) for name in RECOVERY}
    return frozenset(found)


def problem_of(resolved: Any, outline: Outline) -> Problem:
    """The problem of an experiment as far as its data set is known; it computes nothing."""
    choice = resolved.problem
    truth = {name: np.broadcast_to(np.nan, shape) for name, shape in outline.truth.items()}
    data = Data((), outline.classes, truth)
    problem = problems[choice.name](data=data, **choice.options)
    return problem if choice.components is None else Mixture(data, problem, choice.components)


def _of_split(split: str, measured: Measured, resolved: Any, outline: Outline) -> set[str]:
    names = {*measured.examples, "objective"}
    if not resolved.evaluation.personal:
        gap = problem_of(resolved, outline).stationarity
        return names | ({"stationarity_gap"} if gap else set())
    names |= {"accuracy_decile"} if "accuracy" in names else set()
    if split in ("train", "unseen_train"):
        names |= {*measured.client}
    return names


def _mixes_as_the_truth(resolved: Any, outline: Outline) -> bool:
    """Whether training clients are evaluated, and their weights can be compared with the true ones."""
    _, components = outline.truth.get("pi", (0, None))
    seen = any(not split.startswith("unseen_") for split in resolved.evaluation.splits)
    return seen and components is not None and components == resolved.problem.components
