"""Whether runs are there, and were made as their experiments' files are now."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fedatlas.config import validate
from fedatlas.errors import AtlasError
from fedatlas.experiments.runs import RunId, runs_of, settings_of
from fedatlas.experiments.spec import Experiment, merge
from fedatlas.results.manifest import Manifest
from fedatlas.results.run_files import load_manifest


def complete(folder: Path, experiments: Mapping[str, Experiment]) -> dict[str, list[Path]]:
    """The experiments all of whose runs are under `folder`; of each the runs made before its file was changed."""
    found = {}
    for key, experiment in experiments.items():
        runs = {folder / run.folder: run for run in runs_of([experiment])}
        if runs and all((path / "run.json").is_file() for path in runs):
            found[key] = [path for path, run in runs.items() if not is_fresh(run, load_manifest(path))]
    return found


def is_fresh(run: RunId, manifest: Manifest) -> bool:
    """Whether the manifest is of a run with these settings, and not with those of an earlier file."""
    then = manifest.spec
    if rule := manifest.strength:  # a strength that the data gave; the file has the rule
        then = merge(then, {"problem": {"penalty": {"strength": {"times_max": rule["times_max"]}}}})
    try:
        spec = validate(then, Experiment, "a run")
    except AtlasError:  # of another version of the atlas
        return False
    return run.settings == settings_of(manifest.algorithm.method, spec)
