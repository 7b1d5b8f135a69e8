"""What runs have taken, and from that what they will take.

Every run says in its manifest how long it took and how much memory. config/measurements.yaml holds such numbers for
those who have not run anything yet, and what a yardstick took on the machine they come from: a small piece of work that
tells how fast another machine is. What is published says both too, but for older runs, of machines whose speed nobody
knows.
"""

from __future__ import annotations

import functools
import json
import statistics
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import yaml

from fedatlas.config import read_yaml, validate
from fedatlas.errors import AtlasError
from fedatlas.experiments.runs import RunId
from fedatlas.experiments.spec import Experiment
from fedatlas.files import write_text
from fedatlas.machine import yardstick

SHIPPED = Path("config/measurements.yaml")
RUNS = Path("data/runs")
PUBLISHED = Path("reports/published")
HEADER = """\
# What a training job takes: wall seconds and MB of memory at its peak.
# Written by `fedatlas plan --record` from the manifests under data/runs/.
"""


@dataclass(frozen=True)
class Cost:
    """What a job takes: wall seconds, and MB of memory at its peak.

    Attributes:
        work: the rounds that its configurations have trained together; 0 where that was not recorded.
        like: what a round works on, see `like_of`.
    """

    seconds: float
    memory_mb: int
    work: int = 0
    like: str = ""


# What a job takes beside its run: the start of its kernel, and the memory of the notebook runner.
BESIDE = Cost(seconds=2.5, memory_mb=150)
# For a job unlike any that was measured: roomy, so that no machine is overbooked.
UNKNOWN = Cost(seconds=60.0, memory_mb=2000)


# Seconds of the workflow's other jobs, by rule; those of a run come from measurements of its kind.
OTHERS = {
    "tff_environment": 90.0,
    "fetch": 1.0,
    "partition": 1.0,
    "figures": 6.0,
    "guide": 40.0,
    "experiment_page": 8.0,
    "claims": 3.0,
    "page": 15.0,
    "site_page": 8.0,
}
# Seconds of those that show a paper's runs, for each of its runs.
DRAWING = {"figures": 0.3, "page": 1.0}
YARDSTICK = "yardstick"


def kind_of(run: RunId) -> str:
    """The runs that cost alike: `<scale>/<paper>/<experiment>/<algorithm>/<stage>`."""
    return "/".join((*run.folder.parts[:-1], run.stage))


def work_of(run: RunId) -> int:
    """The rounds that the run's configurations train together."""
    rounds = run.spec.training.rounds
    if run.stage == "tuned":
        return rounds
    until = run.spec.select.until if run.spec.select else None
    return len(run.configurations) * (until or rounds) + rounds - (until or rounds)


def like_of(run: RunId) -> str:
    """What decides how long a round takes: the problem, the data set, the clients and their local steps."""
    spec, training = run.spec, run.spec.training
    steps = training.local_steps if training.local_epochs is None else f"{training.local_epochs}ep"
    return f"{spec.problem.name} {spec.dataset.name} {training.cohort}x{steps}x{training.batch_size}"


def measured(runs: Iterable[RunId], folder: Path = RUNS) -> dict[str, Cost]:
    """The costs of the runs that lie in `folder`, by kind; the mean over seeds."""
    found: dict[str, list[Cost]] = {}
    for run in runs:
        if cost := _read(folder, run):
            found.setdefault(kind_of(run), []).append(cost)
    return _over_seeds(found)


def _over_seeds(found: Mapping[str, Sequence[Cost]]) -> dict[str, Cost]:
    return {
        kind: replace(
            costs[0],
            seconds=round(statistics.mean(cost.seconds for cost in costs), 1),
            memory_mb=max(cost.memory_mb for cost in costs),
        )
        for kind, costs in sorted(found.items())
    }


def _read(folder: Path, run: RunId) -> Cost | None:
    try:
        return _cost(run, json.loads((folder / run.folder / "run.json").read_text(encoding="utf-8")))
    except (OSError, KeyError, TypeError, ValueError):  # not finished, damaged, or of another version
        return None


def _cost(run: RunId, manifest: Mapping[str, Any]) -> Cost:
    seconds, memory = manifest["seconds"]["total"], manifest["peak_memory_mb"]
    return Cost(seconds + BESIDE.seconds, round(memory) + BESIDE.memory_mb, work_of(run), like_of(run))


def published(folder: Path = PUBLISHED, now: float | None = None) -> dict[str, Cost]:
    """The costs of what is published, by kind.

    Args:
        now: what the yardstick takes here; the seconds are those of whichever machine ran it where that is not known.
    """
    found: dict[str, list[Cost]] = {}
    for path in sorted(folder.glob("*/*/manifest.json")):
        try:
            manifest = json.loads(path.read_text(encoding="utf-8"))
            experiment = validate(manifest["experiment"], Experiment, str(path))
            for own in manifest["runs"]:
                run = RunId(experiment, own["algorithm"], own["seed"])
                found.setdefault(kind_of(run), []).append(_scaled(_cost(run, own), now, own.get(YARDSTICK)))
        except (OSError, KeyError, TypeError, ValueError, AtlasError):  # of another version
            continue
    return _over_seeds(found)


def _scaled(cost: Cost, now: float | None, then: float | None) -> Cost:
    """The cost on a machine whose yardstick takes `now`, measured on one where it took `then`."""
    return replace(cost, seconds=cost.seconds * now / then) if now and then else cost


def on_record(
    runs: Iterable[RunId], path: Path = SHIPPED, folder: Path = PUBLISHED, now: float | None = None
) -> dict[str, Cost]:
    """The costs that come with the atlas, by kind; those of what is published where runs have no other.

    Args:
        now: what the yardstick takes here; None for the seconds of the machines that they come from.
    """
    then = read_yaml(path).get(YARDSTICK) if path.is_file() else None
    found = {kind: _scaled(cost, now, then) for kind, cost in shipped(path).items()}
    return found if all(kind_of(run) in found for run in runs) else published(folder, now) | found


def shipped(path: Path = SHIPPED) -> dict[str, Cost]:
    """The costs that come with the atlas, by kind.

    Raises:
        AtlasError: names the file and the row that is not a cost.
    """
    found = read_yaml(path) if path.is_file() else {}
    return {kind: _shipped_cost(path, kind, row) for kind, row in found.items() if kind != YARDSTICK}


def _shipped_cost(path: Path, kind: str, row: Any) -> Cost:
    try:
        cost = Cost(**row)
        if not all(isinstance(value, int | float) for value in (cost.seconds, cost.memory_mb, cost.work)):
            raise TypeError(row)
    except TypeError as error:
        keys = ", ".join(field.name for field in fields(Cost))
        raise AtlasError(f"{path}: '{kind}' is not a cost, which has {keys}: remove the row.") from error
    return cost


def foretold(runs: Collection[RunId], folder: Path = RUNS, path: Path = SHIPPED) -> dict[str, Cost]:
    """The costs to expect on this machine, by kind: as measured here, or on record and scaled to its speed."""
    return on_record(runs, path, now=yardstick()) | measured(runs, folder)


def record(costs: dict[str, Cost], path: Path = SHIPPED) -> None:
    """Writes the costs for `shipped` to read, those of other kinds kept.

    All are the seconds of the machine whose yardstick the file has: this one's, if there is no file yet.
    """
    now = yardstick()
    then = read_yaml(path).get(YARDSTICK, now) if path.is_file() else now
    scaled = {kind: replace(cost, seconds=round(cost.seconds * then / now, 1)) for kind, cost in costs.items()}
    rows = {kind: asdict(cost) for kind, cost in {**shipped(path), **scaled}.items()}
    one_line = functools.partial(yaml.safe_dump, default_flow_style=True, width=1000)
    lines = (f"{kind}: {one_line(row)}" for kind, row in sorted(rows.items()))
    write_text(path, HEADER + f"{YARDSTICK}: {then:.4f}\n" + "".join(lines))


def predict(run: RunId, costs: Mapping[str, Cost]) -> tuple[Cost, bool]:
    """What the run will take, and whether runs of its own kind were measured (else those nearest to it)."""
    if kind := costs.get(kind_of(run)):
        return kind, True
    if not (alike := _nearest(run, costs)):
        return UNKNOWN, False
    seconds = statistics.median(_seconds_for(work_of(run), cost) for cost in alike)
    return Cost(seconds, max(cost.memory_mb for cost in alike)), False


def _nearest(run: RunId, costs: Mapping[str, Cost]) -> list[Cost]:
    """Of the same stage in the same experiment; of rounds that work on the like; of the same algorithm of the same
    paper; of any."""
    scale, paper, experiment, algorithm, stage = kind_of(run).split("/")
    same_stage = {kind: cost for kind, cost in costs.items() if kind.startswith(f"{scale}/") and kind.endswith(stage)}
    like = like_of(run)
    candidates: Iterable[list[Cost]] = (
        [cost for kind, cost in same_stage.items() if kind.startswith(f"{scale}/{paper}/{experiment}/")],
        [cost for cost in same_stage.values() if cost.like == like],
        [cost for kind, cost in same_stage.items() if kind.split("/")[1::2] == [paper, algorithm]],
        list(same_stage.values()),
        [cost for kind, cost in costs.items() if kind.startswith(f"{scale}/")],
    )
    return next(filter(None, candidates), [])


def _seconds_for(work: int, cost: Cost) -> float:
    """What so many rounds would have taken where `cost` was measured."""
    if not cost.work:
        return cost.seconds
    return BESIDE.seconds + max(cost.seconds - BESIDE.seconds, 0) * work / cost.work


def chains(
    runs: Collection[RunId], seconds: Callable[[RunId], float], drawing: Callable[[RunId], float]
) -> dict[Path, float]:
    """By the folder of every run, the seconds of the longest chain of runs that begins with it, to the drawn page.

    Where the longest chain begins first, no core waits at the end for a sweep that could have begun before, nor while
    the other draws the longest page.

    Args:
        seconds: that a run takes.
        drawing: the seconds that what shows a run takes.
    """
    waiting: dict[Path, list[RunId]] = {}
    for run in runs:
        for earlier in run.inputs:
            waiting.setdefault(earlier.folder, []).append(run)
    found: dict[Path, float] = {}

    def chain(run: RunId) -> float:
        if run.folder not in found:
            after = max(map(chain, waiting.get(run.folder, [])), default=drawing(run))
            found[run.folder] = seconds(run) + after
        return found[run.folder]

    for run in runs:
        chain(run)
    return found
