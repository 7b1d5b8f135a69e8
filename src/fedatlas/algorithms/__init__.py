"""One file per algorithm. The folder is the registry: the module's name is the algorithm's id everywhere."""

from __future__ import annotations

from fedatlas.algorithms._traits import (
    Composite,
    Decentralised,
    ExactLocal,
    FineTuned,
    MixtureLearner,
    OwnSteps,
    PerExample,
    Personal,
    PlainSteps,
    RecursiveGradient,
    ServerMetrics,
    SkipsCommunication,
    Synchronised,
)
from fedatlas.algorithms.base import Algorithm
from fedatlas.registry import Registry

__all__ = [
    "Algorithm", "Composite", "Decentralised", "ExactLocal", "FineTuned", "MixtureLearner", "OwnSteps",
    "PerExample", "Personal", "PlainSteps", "RecursiveGradient", "ServerMetrics", "SkipsCommunication", "Synchronised",
    "algorithms", "registry",
]  # fmt: skip

algorithms: Registry[Algorithm] = Registry(__name__, Algorithm, "algorithm")


def registry() -> dict[str, type[Algorithm]]:
    """Every algorithm of the atlas by id, in alphabetical order."""
    return dict(algorithms.items())
