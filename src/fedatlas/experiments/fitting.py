"""What an experiment file must say beyond its form: names that exist, options and local work that fit them."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fedatlas.algorithms import algorithms
from fedatlas.algorithms.base import Algorithm
from fedatlas.data import catalogue
from fedatlas.errors import AtlasError
from fedatlas.experiments.components import check_component
from fedatlas.experiments.strength import check_rule, is_rule
from fedatlas.problems import problems
from fedatlas.prox import penalties

_MEETS = {"above": operator.gt, "at_least": operator.ge, "below": operator.lt, "at_most": operator.le}


def check(experiment: Any, path: Path) -> None:
    """Checks what the schema of an experiment cannot: that its names are registered and its options fit.

    Raises:
        AtlasError: names the file, the key, the value and the mend.
    """
    try:
        if experiment.reference not in (None, *experiment.algorithms):
            raise AtlasError(f"'reference' is '{experiment.reference}', but must be one of 'algorithms'.")
        for entry in experiment.algorithms:
            algorithm = algorithms[experiment.variant(entry).algorithm]
            resolved = experiment.for_algorithm(entry)
            check_component("problem", problems[resolved.problem.name], resolved.problem.options, skip=("data",))
            _check_penalty(resolved.problem)
            catalogue.dataset_id(resolved.dataset.name, resolved.dataset.options, resolved.dataset.seed_of(0))
            _check_sweep(entry, algorithm, resolved.sweep)
            _check_work(entry, algorithm, resolved.training)
    except AtlasError as error:
        raise AtlasError(error if str(path) in str(error) else f"{path}: {error}") from error


def _check_penalty(problem: Any) -> None:
    """Checks the options of the penalty; its strength may be a rule where the data can give it."""
    penalty, options = problem.penalty, problem.penalty.options
    cls, skip = penalties[penalty.name], ()
    if is_rule(options):
        check_rule(problem.name, penalty.name, options)
        options, skip = {key: value for key, value in options.items() if key != "strength"}, ("strength",)
    check_component("penalty", cls, options, skip)


def _check_sweep(entry: str, algorithm: type[Algorithm], sweep: Mapping[str, tuple[float, ...]]) -> None:
    known = algorithm.hyperparameters()
    if set(sweep) != set(known):
        raise AtlasError(
            f"the sweep of {entry} has the keys {sorted(sweep)}, but its hyper-parameters are {sorted(known)}; "
            f"give them in 'sweep' or in 'algorithms.{entry}.sweep'."
        )
    for name, values in sweep.items():
        for bound, limit in known[name].items():
            bad = [value for value in values if not _MEETS[bound](value, limit)]
            if bad:
                words = bound.replace("_", " ")
                raise AtlasError(f"'sweep.{name}' holds {bad[0]:g}, but {name} of {entry} must be {words} {limit:g}.")


def _check_work(entry: str, algorithm: type[Algorithm], training: Any) -> None:
    """Checks that the local work and the cohort are what the algorithm needs."""
    where = f"'training' of {entry}"
    if algorithm.participation == "full" and training.cohort != "all":
        raise AtlasError(f"{where} has the cohort {training.cohort}, but {algorithm.name} needs all clients: 'all'.")
    if algorithm.solves and (training.local_steps, training.batch_size) != (0, "full"):
        raise AtlasError(
            f"{where} must say 'local_steps: 0' and 'batch_size: full', for {algorithm.name} solves the local problem."
        )
    if algorithm.solves and training.solver is None:
        raise AtlasError(f"{where} has no 'solver' {{tolerance, most_iterations}}, which {algorithm.name} needs.")
    if not algorithm.solves and training.local_steps == 0:
        raise AtlasError(f"{where} has 'local_steps: 0', but {algorithm.name} takes local steps: give one or more.")
