"""`fedatlas plan`: what would run, for how long and with how much memory."""

from __future__ import annotations

import argparse
import csv
import fcntl
import io
import json
import subprocess
import sys
from pathlib import Path

from fedatlas.checking import check_once
from fedatlas.config import read_yaml
from fedatlas.errors import AtlasError
from fedatlas.experiments.runs import RunId
from fedatlas.experiments.spec import SCALES
from fedatlas.machine import cores
from fedatlas.measurements import RUNS, SHIPPED, foretold, measured, predict, record
from fedatlas.pipeline import Pipeline

LOCK = Path(".snakemake/fedatlas.lock")  # which the workflow of this folder holds


def add_commands(subparsers: argparse._SubParsersAction) -> None:
    parser = subparsers.add_parser("plan", help="list what would run, with predicted minutes and memory")
    parser.add_argument("--scale", default="quick", choices=SCALES)
    parser.add_argument("--experiments", nargs="+", metavar="PAPER/ID", help="only these (fco/* for a paper's)")
    parser.add_argument("--cores", default="all", help="a number, or 'all' (the default)")
    parser.add_argument("--record", action="store_true", help=f"write what the finished runs took to {SHIPPED}")
    parser.set_defaults(run=_plan)


def _plan(options: argparse.Namespace) -> None:
    check_once()
    cores = _cores(options.cores)
    only = {"experiments": options.experiments} if options.experiments else {}
    pipeline = Pipeline(read_yaml(Path(f"config/{options.scale}.yaml")) | only)
    if options.record:
        _check_that_nothing_runs()
        own = measured(pipeline.runs.values())
        record(own)
        print(f"{SHIPPED}: {len(own)} kinds of {options.scale} runs written.")
        return
    due = _due_runs(pipeline)
    print(_table(due, pipeline, foretold(pipeline.runs.values()), cores))


def _check_that_nothing_runs() -> None:
    """Runs say whether their tree is as committed, which a file that is written now would change."""
    if not LOCK.exists():
        return
    with LOCK.open("a") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise AtlasError(f"runs go on here, and {SHIPPED} would change under them: wait for their end.") from error


def _cores(text: str) -> int:
    if text == "all":
        return cores()  # as Snakemake counts them
    if not text.isdigit() or int(text) < 1:
        raise AtlasError(f"--cores is '{text}', but must be 'all' or a number above 0.")
    return int(text)


def _due_runs(pipeline: Pipeline) -> list[RunId]:
    """The runs that Snakemake would train, from its own summary of what is out of date."""
    chosen = pipeline.configuration
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--summary", "--quiet", "all", "--cores", "1"]
    only = ["--config", f"experiments={json.dumps(chosen.experiments)}"] if chosen.experiments != "all" else []
    done = subprocess.run(
        [*command, "--configfile", f"config/{chosen.scale}.yaml", *only],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise AtlasError(f"snakemake cannot plan: {done.stderr.strip()}")
    table = done.stdout[done.stdout.index("output_file\t") :]
    rows = csv.DictReader(io.StringIO(table), delimiter="\t")
    due = {
        str(Path(row["output_file"]).parent.relative_to(RUNS))
        for row in rows
        if row["rule"] == "train" and row["plan"] != "no update"
    }
    return [run for folder, run in pipeline.runs.items() if folder in due]


def _table(due: list[RunId], pipeline: Pipeline, costs: dict, cores: int) -> str:
    """The due runs one by one, and their sum over the cores."""
    lines, seconds, memory = [], 0.0, []
    for run in due:
        cost, known = predict(run, costs)
        seconds += cost.seconds
        memory.append(cost.memory_mb)
        about = " " if known else "~"
        name = f"{run.experiment.key} {run.algorithm} seed {run.seed} ({run.stage})"
        lines.append(f"  {name:<60}{about}{cost.seconds / 60:6.1f} min {about}{cost.memory_mb:6d} MB")
    at_once = max(1, cores // pipeline.configuration.threads)
    peak = sum(sorted(memory)[-at_once:])
    head = f"{len(due)} of {len(pipeline.runs)} runs to train at {pipeline.configuration.scale} scale"
    if not due:
        return f"{head}."
    foot = f"together about {seconds / at_once / 60:.1f} min on {cores} cores, {at_once} at once, up to {peak} MB"
    return "\n".join([f"{head}:", *lines, f"{foot} (~: guessed from similar runs, a minute where there are none)."])
