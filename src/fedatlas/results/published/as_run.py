"""An experiment as its published runs had it, whose file may have changed since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fedatlas.config import validate
from fedatlas.experiments.spec import OVERRIDES, Experiment

SETTINGS = (*OVERRIDES, "seeds", "algorithms", "reference")


def as_run(manifest: Mapping[str, Any], today: Experiment, place: Path) -> Experiment:
    """The settings of the runs, in today's words for what the experiment shows; without algorithms that it lost.

    Args:
        manifest: what the published manifest says of the experiment.
        place: the manifest's file.

    Raises:
        AtlasError: if the settings are none that an experiment can have today.
    """
    then = {key: manifest[key] for key in SETTINGS if key in manifest}
    then["algorithms"] = {id: own for id, own in then["algorithms"].items() if id in today.algorithms}
    words = {key: value for key, value in _as_json(today).items() if key not in SETTINGS}
    return validate(words | then, Experiment, str(place))


def changed_since(then: Experiment, today: Experiment) -> list[str]:
    """The settings that are not as they were: `training.rounds`, `algorithms.fedavg.sweep`; those of an algorithm that
    was added are one."""
    was, now = (_as_json(one) for one in (then, today))
    return [name for key in SETTINGS for name in _different(was.get(key), now.get(key), key)]


def _different(was: Any, now: Any, name: str) -> Iterator[str]:
    if isinstance(was, Mapping) and isinstance(now, Mapping):
        for key in {**was, **now}:
            if key not in ("label", "colour"):
                yield from _different(was.get(key), now.get(key), f"{name}.{key}")
    elif was != now:
        yield name


def _as_json(experiment: Experiment) -> dict[str, Any]:
    return experiment.model_dump(mode="json", exclude_none=True)
