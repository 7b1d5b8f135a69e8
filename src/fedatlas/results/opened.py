"""Results as a reader asks for them: of a scale, those that are published, or those that were run by hand."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

from fedatlas.errors import AtlasError
from fedatlas.experiments.runs import runs_of
from fedatlas.experiments.scales import SCALES, Scale
from fedatlas.experiments.spec import Experiment, load_experiments
from fedatlas.names import instead
from fedatlas.results.collection import ExperimentResults, Results, read_results
from fedatlas.results.freshness import complete, is_fresh
from fedatlas.results.published import load_published
from fedatlas.results.published.read import KEPT_SCALES
from fedatlas.results.run import Run, load_run

PUBLISHED, BY_HAND = "published", "by-hand"
RUNS, PUBLISHED_FOLDER = Path("data/runs"), Path("reports/published")


def open_results(root: Path, source: str, experiments: Sequence[str] | None = None) -> Results:
    """Results of the atlas that lies at `root`.

    Args:
        source: a scale, `published`, or `by-hand`: what `train.ipynb` left, whole experiments or not.
        experiments: `<paper>/<id>` of those to read; all if not given that have been run completely and as their
            files are now.

    Raises:
        AtlasError: if the source is unknown, or a run of an experiment that is asked for is missing.
    """
    if isinstance(experiments, str):
        raise AtlasError(f"'experiments' is '{experiments}', but must be a list, such as ['{experiments}'].")
    if source not in (*SCALES, PUBLISHED, BY_HAND):
        raise AtlasError(f"'{source}' is no scale; there are: {', '.join((*SCALES, PUBLISHED, BY_HAND))}.")
    config = root / "config" / "experiments"
    load_experiments.cache_clear()  # a notebook's process may be older than a file
    if source in SCALES:
        known = load_experiments(config, source)
        return read_results(
            root / RUNS, known, Scale(source), experiments or _as_now(root, known), root / "data" / "clients"
        )
    found = _published(root, config) if source == PUBLISHED else _by_hand(root, config)
    for key in experiments or ():
        if key not in found:
            raise AtlasError(f"{key} is not among the results '{source}'; {instead(key, list(found))}")
    kept = {key: own for key, own in found.items() if not experiments or key in experiments}
    return Results(Scale.PAPER, load_experiments(config, Scale.PAPER), kept)


def _as_now(root: Path, known: Mapping[str, Experiment]) -> list[str]:
    """The experiments that have been run completely; of those whose file has changed since, a warning."""
    there = complete(root / RUNS, known)
    for key, old in there.items():
        if old:
            warnings.warn(f"{old[0]} was run before the file of {key} was changed: left out.", stacklevel=3)
    return [key for key, old in there.items() if not old]


def _published(root: Path, config: Path) -> dict[str, ExperimentResults]:
    known = {scale: load_experiments(config, scale) for scale in KEPT_SCALES}
    return {key: one.results for key, one in load_published(root / PUBLISHED_FOLDER, known).items()}


def _by_hand(root: Path, config: Path) -> dict[str, ExperimentResults]:
    """What there is of each experiment, at the largest scale of which there is something."""
    found, folder = {}, root / RUNS / BY_HAND
    for scale in SCALES if folder.is_dir() else ():
        for key, experiment in load_experiments(config, scale).items():
            if runs := _there(folder, experiment):
                found[key] = ExperimentResults(experiment, runs, root / "data" / "clients")
    return found


def _there(folder: Path, experiment: Experiment) -> dict[str, dict[int, Run]]:
    """The runs with the settings of the experiment's file; others are named in a warning."""
    found: dict[str, dict[int, Run]] = {}
    for run in runs_of([experiment]):
        if not (folder / run.folder / "run.json").is_file():
            continue
        there = load_run(folder / run.folder)
        if is_fresh(run, there.manifest):
            found.setdefault(run.algorithm, {})[run.seed] = there.named(run.label, run.colour)
        else:
            warnings.warn(f"{folder / run.folder} has other settings than {experiment.key}: left out.", stacklevel=2)
    return found
