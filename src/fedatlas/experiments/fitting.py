"""What an experiment file must say beyond its form: names that exist, options and local work that fit them."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fedatlas.algorithms import Algorithm, MixtureLearner, Personal, algorithms
from fedatlas.config import Place
from fedatlas.data import catalogue
from fedatlas.errors import AtlasError
from fedatlas.experiments.components import check_component
from fedatlas.experiments.data_fit import check_data
from fedatlas.experiments.strength import check_rule, is_rule
from fedatlas.experiments.work_fit import check_work
from fedatlas.names import instead, shown
from fedatlas.problems import problems
from fedatlas.problems.base import Data
from fedatlas.prox import penalties

PROBLEM_KEYS = ("name", "penalty", "components")
_MEETS = {"above": operator.gt, "at_least": operator.ge, "below": operator.lt, "at_most": operator.le}


def check(experiment: Any, place: Path | Place) -> None:
    """Checks what the schema of an experiment cannot: that its names are registered and all that it says can be.

    Raises:
        AtlasError: names the file, the line, the key, the value and the mend.
    """
    place = Place(place) if isinstance(place, Path) else place
    try:
        _check_reference(experiment)
        _check_labels(experiment)
    except AtlasError as error:
        raise place.error(error) from error
    for entry in experiment.algorithms:
        own = place.under("algorithms", entry, first=True)
        resolved = experiment.for_algorithm(entry, own)
        try:
            _check_entry(experiment, entry, resolved)
        except AtlasError as error:
            raise own.error(error) from error


def _check_entry(experiment: Any, entry: str, resolved: Any) -> None:
    """Checks what one algorithm runs.

    Args:
        resolved: the experiment as it runs it.
    """
    algorithm = _algorithm(experiment, entry)
    _check_problem(resolved.problem)
    _check_dataset(resolved.dataset)
    _check_sweep(entry, algorithm, resolved.sweep)
    check_work(entry, algorithm, resolved)
    _check_own_models(entry, algorithm, resolved.evaluation)
    _check_until(entry, resolved)
    _check_components(entry, algorithm, resolved.problem)
    check_data(entry, algorithm, resolved)


def _algorithm(experiment: Any, entry: str) -> type[Algorithm]:
    name = experiment.variant(entry).algorithm
    try:
        found = algorithms[name]
    except AtlasError as error:
        raise AtlasError(f"'algorithms.{entry}': {error}", ("algorithms", entry)) from error
    for attribute in ("name", "citation", "colour"):
        if not isinstance(getattr(found, attribute, None), str):
            raise AtlasError(
                f"'algorithms.{entry}': the class {found.__name__} of '{name}' has no '{attribute}': give it one, as "
                "the other files of src/fedatlas/algorithms do.",
                ("algorithms", entry),
            )
    return found


def _check_problem(choice: Any) -> None:
    """Checks the options of the problem and of its penalty, whose strength may be a rule where the data can give it."""
    check_component("problem", found(problems, choice.name, "problem"), choice.options, ("data",), PROBLEM_KEYS)
    penalty, options = choice.penalty, choice.penalty.options
    cls, skip = found(penalties, penalty.name, "problem", "penalty"), set[str]()
    if is_rule(options):
        check_rule(choice.name, penalty.name, options)
        options, skip = {key: value for key, value in options.items() if key != "strength"}, {"strength"}
    check_component("problem.penalty", cls, options, skip, ("name",))
    try:
        problems[choice.name](data=Data((), None, {}), **choice.options)
        cls(**options | dict.fromkeys(skip, 0.0))
    except AtlasError as error:  # options that do not go together
        raise AtlasError(str(error), ("problem",)) from error


def _check_dataset(dataset: Any) -> None:
    cls = found(catalogue.datasets, dataset.name, "dataset")
    for key in dataset.options:
        if key not in cls.model_fields:
            hint = instead(key, [*cls.model_fields, "name", "seed"], "allowed here are")
            raise AtlasError(
                f"unknown key 'dataset.{key}' (value {shown(dataset.options[key])}); {hint}", ("dataset", key)
            )
    try:
        catalogue.dataset_id(dataset.name, dataset.options, dataset.seed_of(0))
    except AtlasError as error:
        raise AtlasError(str(error), ("dataset", *error.key)) from error


def found(registry: Any, name: str, *where: str) -> Any:
    """What is registered under the name that stands under a key.

    Raises:
        AtlasError: if there is none of that name.
    """
    try:
        return registry[name]
    except AtlasError as error:
        raise AtlasError(f"'{'.'.join(where)}.name': {error}", (*where, "name")) from error


def _check_reference(experiment: Any) -> None:
    """Checks that the reference is there, and measured where the others are compared with it."""
    reference = experiment.reference
    if reference is None:
        return
    if reference not in experiment.algorithms:
        there = ", ".join(experiment.algorithms)
        raise AtlasError(f"'reference' is '{reference}', but must be one of 'algorithms': {there}.", ("reference",))
    if "train" not in experiment.evaluation.splits:
        raise AtlasError(
            f"'evaluation.splits' has no 'train', on which all are compared with the 'reference' {reference}.",
            ("evaluation", "splits"),
        )


def _check_labels(experiment: Any) -> None:
    """Checks that figures can tell the entries apart."""
    entries: dict[str, str] = {}
    for entry in experiment.algorithms:
        label = experiment.variant(entry).label or _algorithm(experiment, entry).name
        if label in entries:
            raise AtlasError(
                f"figures would call {entries[label]} and {entry} both '{label}'; give one of them another 'label'.",
                ("algorithms", entry, "label"),
            )
        entries[label] = entry


def _check_sweep(entry: str, algorithm: type[Algorithm], sweep: Mapping[str, tuple[float, ...]]) -> None:
    known = algorithm.hyperparameters()
    if set(sweep) != set(known):
        raise AtlasError(
            f"the sweep of {entry} has the keys {sorted(sweep)}, but its hyper-parameters are {sorted(known)}; "
            f"give them in 'sweep' or in 'algorithms.{entry}.sweep'.",
            ("sweep",),
        )
    for name, values in sweep.items():
        for value in values:
            if bound := broken_bound(known[name], value):
                raise AtlasError(
                    f"'sweep.{name}' holds {value:g}, but {name} of {entry} must be {bound}.", ("sweep", name)
                )


def broken_bound(bounds: Mapping[str, float], value: float) -> str:
    """The first bound of a hyper-parameter that a value does not meet, in words; else nothing."""
    broken = (bound for bound, limit in bounds.items() if not _MEETS[bound](value, limit))
    return next((f"{bound.replace('_', ' ')} {bounds[bound]:g}" for bound in broken), "")


def _check_own_models(entry: str, algorithm: type[Algorithm], evaluation: Any) -> None:
    """Checks that clients of an algorithm without models of their own can use what the server sends."""
    sends = (algorithm.model, algorithm.broadcast) == (Algorithm.model, Algorithm.broadcast)
    if evaluation.personal and not issubclass(algorithm, Personal) and not sends:
        raise AtlasError(
            f"'evaluation.personal' of {entry} measures what the server sends at every client, but {algorithm.name} "
            "reports another model: leave it out.",
            ("evaluation", "personal"),
        )


def _check_until(entry: str, resolved: Any) -> None:
    """Checks that a sweep that is decided on the way is evaluated then."""
    until = resolved.select.until
    if until is not None and not resolved.evaluates(until):
        raise AtlasError(
            f"'select.until' of {entry} is {until}, but must be an evaluated round: every {resolved.evaluation.every}, "
            f"up to {resolved.training.rounds}.",
            ("select", "until"),
        )


def _check_components(entry: str, algorithm: type[Algorithm], problem: Any) -> None:
    """Checks that a mixture and an algorithm for mixtures come together."""
    mixes = issubclass(algorithm, MixtureLearner)
    if mixes and problem.components is None:
        raise AtlasError(
            f"'problem' of {entry} has no 'components', the number of models that {algorithm.name} mixes.",
            ("problem",),
        )
    if problem.components is not None and not mixes:
        raise AtlasError(
            f"'problem' of {entry} has 'components', but {algorithm.name} mixes no models: leave it out.",
            ("problem", "components"),
        )
    if mixes and problem.components > 1 and _starts_at_zero(problem):
        raise AtlasError(
            f"'problem' of {entry} starts all {problem.components} components at zero, where they stay equal: give "
            "it 'start: glorot', or choose one that has a random start.",
            ("problem", "components"),
        )


def _starts_at_zero(problem: Any) -> bool:
    """Whether the parameters start at zero, as those of linear models do that are not told otherwise."""
    options = problem.options
    return problems[problem.name].linear and options.get("start", "zero") == "zero" and not options.get("spread")
