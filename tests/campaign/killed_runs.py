"""Kills training processes, one after another: `.env/tff/bin/python tests/campaign/killed_runs.py FOLDER NUMBER SEED`.

Each process trains the same run on from where the killed one before it was, and is forked from this one, which has
imported TensorFlow Federated and never runs it. Checkpoints are taken after every evaluation. A run that comes to its
end must be that of a process that nobody disturbed, to the bit; then the next begins. The last line is what was tried
and what was lost, as JSON.
"""

from __future__ import annotations

import collections
import json
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

from fedatlas.data import catalogue
from fedatlas.errors import AtlasError
from fedatlas.experiments.runs import RunId
from fedatlas.results.run import load_run
from fedatlas.results.run_files import check_run
from fedatlas.running import runner
from fedatlas.running.workbench import open_run

ABOUT = "a training process"
MOMENTS = {
    "after metrics.parquet": "metrics.parquet",
    "after model.npz": "model.npz",
    "after run.json": "run.json",
    "while a checkpoint is replaced": ".checkpoint.npz.*.partial",
    "after a checkpoint": "checkpoint.npz",
}


def start(run: RunId, store: Path, runs: Path) -> int:
    """Forks a process that trains the run; returns its id."""
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        runner.SECONDS_BETWEEN_CHECKPOINTS = 0.0
        runner.train(run, store, runs)
        status = 0
    finally:
        os._exit(status)


def ended(process: int) -> int | None:
    """The exit status of a process, or None while it runs."""
    found, status = os.waitpid(process, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if found else None


def kill(process: int, folder: Path, pattern: str | None, seconds: float) -> int:
    """Kills the process after so many seconds, or once such a file is new; returns how it ended."""
    begun, before = time.monotonic(), _times(folder, pattern)
    while (status := ended(process)) is None:
        if _times(folder, pattern) != before if pattern else time.monotonic() - begun >= seconds:
            os.kill(process, signal.SIGKILL)
            return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        time.sleep(0.001)
    return status


def _times(folder: Path, pattern: str | None) -> list[tuple[str, int]]:
    found = []
    for path in folder.glob(pattern) if pattern else ():
        try:
            found.append((path.name, path.stat().st_ino))
        except FileNotFoundError:
            continue
    return found


def content(folder: Path) -> tuple:
    """All that a run holds but for how long it took."""
    run = load_run(folder)
    table = run.table[run.table["metric"] != "seconds"]
    return run.manifest.diverged, run.manifest.selected, table.to_csv(), run.model.params.tobytes()


def campaign(place: Path, number: int, seed: int) -> tuple[collections.Counter[str], list[str]]:
    """What was tried, by moment, and what was lost."""
    run, chance = open_run("fedpd/figure_2a", "fedavg_gd", 0, "quick"), random.Random(seed)
    store, tried, lost = place / "store", collections.Counter[str](), []
    dataset = run.spec.dataset
    catalogue.build(dataset.name, dataset.options, dataset.seed_of(0), place / "raw", store)
    begun = time.monotonic()
    assert os.waitpid(start(run, store, place / "undisturbed"), 0)[1] == 0
    seconds, expected = time.monotonic() - begun, content(place / "undisturbed" / run.folder)
    folder = place / "runs" / run.folder
    for one in range(number):
        about = [*MOMENTS][one // 2 % len(MOMENTS)] if one % 2 else "at any time"
        status = kill(start(run, store, place / "runs"), folder, MOMENTS.get(about), chance.uniform(0, seconds))
        tried[f"{ABOUT} {about}" + (" (it was done before)" if status == 0 else "")] += 1
        if status > 0:
            lost.append(f"{about}: the process failed with {status}")
        if (folder / "run.json").is_file():
            lost += _compare(folder, expected, about)
            shutil.rmtree(folder)
        print(f"{one + 1} of {number}: {ABOUT} {about}; lost so far: {len(lost)}", flush=True)
    assert os.waitpid(start(run, store, place / "runs"), 0)[1] == 0
    lost += _compare(folder, expected, "the end")
    left = [path.name for path in folder.iterdir() if path.name.startswith(".") or "checkpoint" in path.name]
    return tried, lost + [f"{name} is left" for name in left]


def _compare(folder: Path, expected: tuple, about: str) -> list[str]:
    try:
        check_run(folder)
        return [] if content(folder) == expected else [f"{about}: other numbers than undisturbed"]
    except AtlasError as error:
        return [f"{about}: {error}"]


if __name__ == "__main__":
    print(json.dumps(campaign(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))), flush=True)
    os._exit(0)  # threads of TensorFlow may end the interpreter with an abort
