"""A finished run on disk: a metrics table, the learned model and a manifest, and whether they are whole.

metrics.parquet is in long format: configuration (its number in the manifest's `configurations`), round (0 is the
initial model), client (-1: over all clients), split (`model`: of the parameters alone; `train`, `validation`,
`test`; `cost`), metric, value. A configuration that has diverged has NaN from then on, and so has one that was not
selected where the sweep is decided on the way. `objective` is the loss of a split plus the penalty.

model.npz holds the parameters of the selected configuration after the last round, `params` [d], and its number,
`configuration`.

The costs are cumulative: communications (rounds whose models travelled), bytes_down and bytes_up (over all clients of
the cohorts), gradient_evaluations (examples whose gradient was computed) and seconds (wall time of the training rounds
of all configurations of the run together).
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pydantic import ValidationError

from fedatlas.errors import AtlasError
from fedatlas.files import atomic, write_text
from fedatlas.intact import digest_of, first_changed, sha256_of
from fedatlas.results.manifest import FORMAT, Manifest

if TYPE_CHECKING:
    import pandas as pd
else:
    from fedatlas.lazy import pd

_FILES = {"metrics": "metrics.parquet", "model": "model.npz"}


class Model(NamedTuple):
    """A learned model: the number of its configuration, and its parameters [d]."""

    configuration: int
    params: np.ndarray


def write(folder: Path, manifest: Manifest, table: pd.DataFrame, model: Model) -> Manifest:
    """Writes a run, the manifest last: a folder with a run.json is a whole run. Returns it with its digests."""
    with atomic(folder / "metrics.parquet") as partial:
        table.to_parquet(partial, index=False)
    with atomic(folder / "model.npz") as partial, partial.open("wb") as file:
        np.savez(file, configuration=model.configuration, params=model.params)
    digests = {f"{name}_sha256": sha256_of(folder / file) for name, file in _FILES.items()}
    manifest = manifest.model_copy(update=digests)
    manifest = manifest.model_copy(update={"sha256": _digest(manifest.model_dump(mode="json"))})
    write_text(folder / "run.json", json.dumps(manifest.model_dump(mode="json"), indent=1))
    return manifest


def read_table(folder: Path, manifest: Manifest) -> pd.DataFrame:
    """The metrics table of a finished run.

    Raises:
        AtlasError: if it is missing, or not the one that the run wrote.
    """
    path = folder / "metrics.parquet"
    if not path.is_file():
        raise _unfinished(path)
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != manifest.metrics_sha256:
        raise _changed(path)
    return pd.read_parquet(io.BytesIO(content))


def read_model(folder: Path, manifest: Manifest) -> Model:
    """The reported model of the selected configuration after the last round.

    Raises:
        AtlasError: if its file is missing, or not the one that the run wrote.
    """
    path = folder / "model.npz"
    try:
        content = path.read_bytes()
        if manifest.model_sha256 not in (None, hashlib.sha256(content).hexdigest()):
            raise ValueError("another sha256")
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return Model(int(arrays["configuration"]), arrays["params"])
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise AtlasError(f"{path} is missing, cut off or damaged: {_mend(folder)}.") from error


def check_run(folder: Path) -> Manifest:
    """Checks that the files of a finished run are those that it wrote; reads none that has not changed since.

    Raises:
        AtlasError: as `load_manifest` and `read_table`.
    """
    manifest = load_manifest(folder)
    known = {file: getattr(manifest, f"{name}_sha256") for name, file in _FILES.items()}
    changed = first_changed(folder, {file: digest for file, digest in known.items() if digest})
    if changed is not None:
        raise _changed(folder / changed)
    return manifest


def load_manifest(folder: Path) -> Manifest:
    """Reads how a finished run was made.

    Raises:
        AtlasError: if the run is not there, is of another version, or the file was cut off or changed.
    """
    path = folder / "run.json"
    if not path.is_file():
        raise _unfinished(path)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise AtlasError(f"{path} is cut off or damaged: {_mend(folder)}.") from error
    found = content.get("format") if isinstance(content, dict) else None
    if found != FORMAT:
        raise AtlasError(f"{path} has the format {found!r}, not {FORMAT!r}: {_mend(folder)}.")
    try:
        manifest = Manifest.model_validate(content)
    except ValidationError as error:
        key = ".".join(map(str, error.errors()[0]["loc"]))
        raise AtlasError(f"{path} has no valid '{key}', which every run has: {_mend(folder)}.") from error
    if manifest.sha256 not in (None, _digest(content)):
        raise _changed(path)
    return manifest


def _digest(content: dict[str, Any]) -> str:
    """The sha256 of what a manifest says besides; runs of earlier versions do not have it."""
    return digest_of({key: value for key, value in content.items() if key != "sha256"})


def _changed(path: Path) -> AtlasError:
    return AtlasError(f"{path} is not the file that the run wrote (cut off or changed): {_mend(path.parent)}.")


def _unfinished(path: Path) -> AtlasError:
    return AtlasError(f"{path} does not exist, so this run has not finished: run the workflow.")


def _mend(folder: Path) -> str:
    return f"delete {folder} and run the same command again; only this run is computed again"
