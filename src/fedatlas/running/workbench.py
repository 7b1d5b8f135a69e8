"""Training from a notebook: finding the experiment and its data, and showing how it goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
from tqdm import tqdm

from fedatlas.config import validate
from fedatlas.data import catalogue
from fedatlas.experiments.runs import RunId
from fedatlas.experiments.spec import Experiment, find_experiment, merge
from fedatlas.project import project_root
from fedatlas.results.run import Run
from fedatlas.running.runner import Machine, Progress, train


def open_run(
    experiment: str, algorithm: str, seed: int, scale: str, overrides: Mapping[str, Any] | None = None
) -> RunId:
    """A run of config/experiments by name, with keys of its file overridden for this once.

    Raises:
        AtlasError: if the experiment, the algorithm, the scale or a key is unknown; says what there is.
    """
    found = find_experiment(project_root() / "config/experiments", experiment, scale)
    if overrides:
        found = validate(merge(found.model_dump(exclude_none=True), overrides), Experiment, "overrides")
    found.for_algorithm(algorithm)
    return RunId(found, algorithm, seed)


def train_run(
    run: RunId, runs_folder: str, machine: Machine, watch: Callable[[Progress], None] = lambda progress: None
) -> Run:
    """Trains a run with a progress bar; makes its client store if that is not there and needs no download.

    Args:
        runs_folder: where results go, relative to the project.
        watch: called after every evaluation.
    """
    root = project_root()
    store = root / "data/clients" / run.dataset_id
    if not (store / "manifest.json").is_file():
        dataset = run.spec.dataset
        seed = dataset.seed_of(run.seed)
        catalogue.build(dataset.name, dataset.options, seed, root / "data/raw", store)
    with tqdm(total=run.spec.training.rounds, desc=f"{run.experiment.key} {run.algorithm}", unit="round") as bar:

        def tell(progress: Progress) -> None:
            bar.update(progress.round - bar.n)
            watch(progress)

        return train(run, store, root / runs_folder, machine, tell)


def live_pictures(run: RunId) -> list[Callable[[Progress], None]]:
    """What shows a run while it trains, for `train_run` to call."""
    from fedatlas.running.live import LivePicture  # a second of imports that a run without pictures is spared

    return [LivePicture(run)]


def summary(run: Run) -> pd.DataFrame:
    """The configurations of a run with their score, the best first; one that has diverged comes last."""
    rule = run.manifest.rule
    table = pd.DataFrame(run.grid).loc[list(run.manifest.trained)]
    table[f"{rule.split} {rule.metric}"] = run.scores
    return table.sort_values(table.columns[-1], ascending=rule.best == "lowest")
