"""What the local work of an experiment must be for an algorithm: steps or solutions, and the options of steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fedatlas.algorithms import (
    Algorithm,
    Decentralised,
    ExactLocal,
    OwnSteps,
    Personal,
    PlainSteps,
)
from fedatlas.errors import AtlasError
from fedatlas.problems import problems
from fedatlas.problems.base import Data, Problem

UNSET = {"clip_norm": "null", "client_lr_decay": "1", "client_lr_drops": "[]", "keeps_momentum": "false"}  # others: 0


def check_work(entry: str, algorithm: type[Algorithm], resolved: Any) -> None:
    """Checks that clients can do the local work that one algorithm's experiment asks for.

    Args:
        resolved: the experiment as it runs it.

    Raises:
        AtlasError: names the key, the value and the mend.
    """
    choice = resolved.problem
    problem = problems[choice.name](data=Data((), None, {}), **choice.options)
    _check_steps(entry, algorithm, problem, resolved.training)
    _check_batches(entry, problem, resolved.training)
    _check_curvature(algorithm, problem, resolved.sweep)
    _check_local(entry, algorithm, resolved.training.local)


def refused_option(algorithm: type[Algorithm], local: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first option of the local steps that an algorithm cannot have, and why; None where it can have all."""
    plain = issubclass(algorithm, PlainSteps)
    unchanged = algorithm.unchanged if issubclass(algorithm, PlainSteps) else ""
    pooled = algorithm.data == "pooled" and bool(local.get("momentum"))
    without = "" if "client_lr" in algorithm.hyperparameters() else "has no client_lr"
    refused = {
        "weight_decay": unchanged,
        "clip_norm": unchanged,
        "momentum": "is for plain gradient steps" if plain else "",
        "keeps_momentum": "trains one model on all examples, and no client keeps anything" if pooled else "",
        "client_lr_decay": without,
        "client_lr_drops": without,
    }
    for key, why in refused.items():
        nothing = key == "client_lr_decay" and local.get(key) == 1
        if why and local.get(key) and not nothing:
            return key, why
    return None


def _check_steps(entry: str, algorithm: type[Algorithm], problem: Problem, training: Any) -> None:
    """Checks that the local steps and the cohort are what the algorithm needs."""
    where, exact = f"'training' of {entry}", issubclass(algorithm, ExactLocal)
    if algorithm.participation == "full" and training.cohort != "all":
        raise AtlasError(
            f"{where} has the cohort {training.cohort}, but {algorithm.name} needs all clients: 'all'.",
            ("training", "cohort"),
        )
    if issubclass(algorithm, Decentralised) and training.graph is None:
        raise AtlasError(
            f"{where} has no 'graph' {{probability, weights}} along which the clients of it talk.", ("training",)
        )
    if exact and (training.local_steps, training.batch_size) != (0, "full"):
        raise AtlasError(
            f"{where} must say 'local_steps: 0' and 'batch_size: full', for {algorithm.name} solves the local problem.",
            ("training",),
        )
    if exact and training.solver is None:
        raise AtlasError(
            f"{where} has no 'solver' {{tolerance, most_iterations}}, which {algorithm.name} needs.", ("training",)
        )
    if exact and training.solver.scaling and not problem.bounded:
        able = ", ".join(sorted(name for name, one in problems.items() if one.bounded))
        raise AtlasError(
            f"{where} has 'solver.scaling', which needs a problem that bounds its curvature: leave it out, or take one "
            f"of these: {able}.",
            ("training", "solver", "scaling"),
        )
    if issubclass(algorithm, OwnSteps) and not issubclass(algorithm, Personal) and training.batch_size != "full":
        raise AtlasError(
            f"{where} must say 'batch_size: full', for {algorithm.name} draws how many local steps a round has, on all "
            "examples.",
            ("training", "batch_size"),
        )
    if not exact and training.local_steps == 0:
        raise AtlasError(
            f"{where} has 'local_steps: 0', but {algorithm.name} takes local steps: give one or more.",
            ("training", "local_steps"),
        )


def _check_batches(entry: str, problem: Problem, training: Any) -> None:
    """Checks that a problem that needs batches has some."""
    where, full = f"'training' of {entry}", training.batch_size == "full"
    if full and (problem.one_by_one or problem.random):
        what = "a network" if problem.one_by_one else "a model with dropout"
        raise AtlasError(
            f"{where} has 'batch_size: full', but {what} is trained on batches: give a number.",
            ("training", "batch_size"),
        )
    if full and training.local and training.local.augmentation:
        raise AtlasError(
            f"{where}: 'local.augmentation' changes batches, but 'batch_size' is 'full': give a number.",
            ("training", "local", "augmentation"),
        )


def _check_curvature(algorithm: type[Algorithm], problem: Problem, sweep: Mapping[str, tuple[float, ...]]) -> None:
    """Checks that what is solved by its dual is strongly convex, by the problem or by the algorithm."""
    adds = not issubclass(algorithm, ExactLocal) or algorithm.adds_curvature or all(sweep.get("strength", (0,)))
    if problem.by_duals and not getattr(problem, "mu", 0) and not adds:
        raise AtlasError(
            f"'problem.mu' is 0, but {algorithm.name} needs a strongly convex problem: give a number above 0.",
            ("problem",),
        )


def _check_local(entry: str, algorithm: type[Algorithm], local: Any) -> None:
    """Checks that an algorithm can have the options of the local steps."""
    refused = refused_option(algorithm, local.model_dump()) if local else None
    if refused:
        key, why = refused
        raise AtlasError(
            f"'training' of {entry} has 'local.{key}', but {algorithm.name} {why}: set it to "
            f"{UNSET.get(key, '0')} in 'algorithms.{entry}.training.local'.",
            ("training", "local", key),
        )
