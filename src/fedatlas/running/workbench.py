"""Training from a notebook: finding the experiment and its data, and showing how it goes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import yaml
from tqdm import tqdm

from fedatlas.config import validate
from fedatlas.data import catalogue
from fedatlas.errors import AtlasError
from fedatlas.experiments.fitting import check
from fedatlas.experiments.runs import RunId
from fedatlas.experiments.spec import OVERRIDES, Experiment, find_experiment, load_experiments, merge
from fedatlas.formatting import listed
from fedatlas.project import project_root
from fedatlas.results.freshness import is_fresh
from fedatlas.results.run import Run
from fedatlas.results.run_files import load_manifest
from fedatlas.running.runner import Machine, Progress, train


class Choice(NamedTuple):
    """What is trained: an entry of an experiment, with a seed."""

    experiment: str
    algorithm: str
    seed: int


def choose(experiment: str, algorithm: str, seed: int, scale: str, lists: bool = True) -> Any:
    """What is trained, at first what is given; with `lists`, a notebook shows lists to choose from instead.

    Returns:
        What has the attributes experiment, algorithm and seed.

    Raises:
        AtlasError: if one of them is unknown; says what there is.
    """
    open_run(experiment, algorithm, seed, scale)
    if not lists:
        return Choice(experiment, algorithm, seed)
    from fedatlas.running.chooser import Chooser  # needs a notebook

    load_experiments.cache_clear()  # a file may have been added since
    known = load_experiments(project_root() / "config/experiments", scale)
    return Chooser({key: one for key, one in known.items() if one.runs_here}, experiment, algorithm, seed)


def described(run: RunId) -> str:
    """The experiment as the algorithm runs it, as its file would say it."""
    content = run.spec.model_dump(mode="json", exclude_none=True, exclude={"algorithms", "assumptions", "scales"})
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100, default_flow_style=None)


def open_run(
    experiment: str, algorithm: str, seed: int, scale: str, overrides: Mapping[str, Any] | None = None
) -> RunId:
    """A run of config/experiments by name, with keys of its file overridden for this once.

    Raises:
        AtlasError: if the experiment, the algorithm, the scale or a key is unknown, or a value cannot be; says what
            there is.
    """
    found = find_experiment(project_root() / "config/experiments", experiment, scale)
    if overrides:
        if not isinstance(overrides, Mapping):
            raise AtlasError(
                f"'overrides' is {overrides!r}, but must be a dictionary of keys of the experiment's file."
            )
        found = validate(_overridden(found, algorithm, overrides), Experiment, "overrides")
        found.must_have(algorithm)
        alone = {"algorithms": {algorithm: found.algorithms[algorithm]}, "reference": None}
        check(found.model_copy(update=alone), Path("overrides"))
    found.for_algorithm(algorithm)
    if seed not in (there := (*found.seeds.sweep, *found.seeds.tuned)):
        raise AtlasError(f"{experiment} has no seed {seed} at {scale} scale; it has {listed(map(str, there))}.")
    return RunId(found, algorithm, seed)


def _overridden(experiment: Experiment, algorithm: str, overrides: Mapping[str, Any]) -> dict[str, Any]:
    """The experiment's file with other keys, which the algorithm's own entry does not take back."""
    content = experiment.model_dump(exclude_none=True)
    entry = experiment.algorithms.get(algorithm, {})
    own = {key: value for key, value in overrides.items() if key in OVERRIDES and key in entry}
    return merge(merge(content, {"algorithms": {algorithm: own}} if own else {}), overrides)


def train_run(
    run: RunId, runs_folder: str, machine: Machine, watch: Callable[[Progress], None] = lambda progress: None
) -> Run:
    """Trains a run with a progress bar, and before it those that it needs and that are not there.

    It makes a client store that is not there and needs no download, and again, by hand, if its data set's file has
    changed since, as Snakemake does by itself.

    Args:
        runs_folder: where results go, relative to the project.
        watch: called after every evaluation.
    """
    root = project_root()
    for needed in run.inputs:
        if not _is_there(needed, root / runs_folder):
            train_run(needed, runs_folder, machine)
    store = root / "data/clients" / run.dataset_id
    dataset = run.spec.dataset
    if not (store / "manifest.json").is_file() or (not machine.library and _is_older(store, dataset.name)):
        seed = dataset.seed_of(run.seed)
        catalogue.build(dataset.name, dataset.options, seed, root / "data/raw", store)
    with tqdm(total=run.spec.training.rounds, desc=f"{run.experiment.key} {run.algorithm}", unit="round") as bar:

        def tell(progress: Progress) -> None:
            bar.update(progress.round - bar.n)
            watch(progress)

        return train(run, store, root / runs_folder, machine, tell)


def _is_older(store: Path, dataset: str) -> bool:
    """Whether a store was made before the file of its data set was changed."""
    written = Path(inspect.getfile(catalogue.datasets[dataset])).stat().st_mtime
    return written > (store / "manifest.json").stat().st_mtime


def _is_there(run: RunId, runs_folder: Path) -> bool:
    """Whether the run has ended with these settings."""
    folder = runs_folder / run.folder
    return (folder / "run.json").is_file() and is_fresh(run, load_manifest(folder))


def live_pictures(run: RunId) -> list[Callable[[Progress], None]]:
    """What shows a run while it trains, for `train_run` to call."""
    from fedatlas.running.live import LivePicture  # a second of imports that a run without pictures is spared

    return [LivePicture(run)]


def summary(run: Run) -> pd.DataFrame:
    """The configurations of a run with their score, the best first; one that has diverged comes last."""
    rule = run.manifest.rule
    table = pd.DataFrame(run.grid).loc[list(run.manifest.trained)]
    score = f"{rule.split} {rule.metric}"
    table[score] = run.scores
    table["diverged"] = table.index.isin(run.manifest.diverged)
    return table.sort_values(score, ascending=rule.best == "lowest")
