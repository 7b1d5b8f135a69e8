"""Client stores and runs that are not as they were written: set aside before anything is planned, to be made again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from fedatlas.data.store import ClientStore
from fedatlas.errors import AtlasError
from fedatlas.experiments.runs import RunId
from fedatlas.files import writing
from fedatlas.pipeline import DatasetId, Pipeline
from fedatlas.results.run_files import check_run


def set_damaged_aside(pipeline: Pipeline, stores: Path, runs: Path) -> Iterator[tuple[Path, str]]:
    """Renames the manifest of every damaged store and run of the pipeline to `<manifest>.damaged`.

    What has not changed since it was last looked at is not read again.

    Yields:
        The manifest that is now missing, and what was wrong, in a sentence.

    Raises:
        AtlasError: if a manifest cannot be renamed.
    """
    for name, dataset in pipeline.datasets.items():
        yield from _aside(stores / name / "manifest.json", partial(_check_store, dataset))
    for name, run in pipeline.runs.items():
        yield from _aside(runs / name / "run.json", partial(_check_run, run))


def _check_store(dataset: DatasetId, folder: Path) -> None:
    store = ClientStore.open(folder)
    store.truth  # noqa: B018 (it is read: a damaged one would end every run)
    made = store.manifest
    if DatasetId(made["name"], json.dumps(made["options"], sort_keys=True), made["seed"]) != dataset:
        raise AtlasError(f"{folder} holds another data set ({made['name']} {made['options']}): delete it.")


def _check_run(run: RunId, folder: Path) -> None:
    found = check_run(folder).folder
    if found != run.folder:
        raise AtlasError(f"{folder} holds another run ({found}): delete it.")


def _aside(manifest: Path, check: Callable[[Path], None]) -> Iterator[tuple[Path, str]]:
    try:
        if manifest.exists():
            check(manifest.parent)
    except AtlasError as error:
        aside = manifest.with_name(f"{manifest.name}.damaged")
        with writing(aside):
            manifest.replace(aside)
        wrong = str(error).rpartition(": ")[0]
        yield manifest, f"{wrong}: it is made again ({manifest.name} is now {aside.name})."
