"""What runs have taken, and from that what they will take.

Every training job leaves `job.tsv` (Snakemake's benchmark: wall seconds and the memory of all its processes) beside its
metrics. config/measurements.yaml holds such numbers for those who have not run anything yet.
"""

from __future__ import annotations

import csv
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import yaml

from fedatlas.config import read_yaml
from fedatlas.experiments.runs import RunId
from fedatlas.files import write_text

SHIPPED = Path("config/measurements.yaml")
RUNS = Path("data/runs")
HEADER = """\
# What a training job took, start of its kernel included: wall seconds and the peak memory of all its processes.
# Written by `fedatlas plan --record` from the job.tsv files under data/runs/.
"""


@dataclass(frozen=True)
class Cost:
    """What a job takes: wall seconds, and MB of memory at its peak."""

    seconds: float
    memory_mb: int


# Of a job that nothing like has been measured of: roomy, so that no machine is overbooked.
UNKNOWN = Cost(seconds=60.0, memory_mb=2000)


def kind_of(run: RunId) -> str:
    """The runs that cost alike: `<scale>/<paper>/<experiment>/<algorithm>/<stage>`."""
    return "/".join((*run.folder.parts[:-1], run.stage))


def measured(runs: Iterable[RunId], folder: Path = RUNS) -> dict[str, Cost]:
    """The costs of the runs that lie in `folder`, by kind; the mean over seeds."""
    found: dict[str, list[Cost]] = {}
    for run in runs:
        path = folder / run.folder / "job.tsv"
        if path.is_file() and (cost := _read(path)):
            found.setdefault(kind_of(run), []).append(cost)
    return {
        kind: Cost(round(statistics.mean(c.seconds for c in costs), 1), max(c.memory_mb for c in costs))
        for kind, costs in sorted(found.items())
    }


def _read(path: Path) -> Cost | None:
    with path.open(newline="") as lines:
        row = next(csv.DictReader(lines, delimiter="\t"), None)
    try:
        return Cost(float(row["s"]), round(float(row["max_rss"]))) if row else None
    except (KeyError, ValueError):  # a job too short to be measured has no memory
        return None


def shipped(path: Path = SHIPPED) -> dict[str, Cost]:
    """The costs that come with the atlas, by kind."""
    return {kind: Cost(**cost) for kind, cost in read_yaml(path).items()} if path.is_file() else {}


def record(costs: dict[str, Cost], path: Path = SHIPPED) -> None:
    """Writes the costs, those of other kinds kept, for `shipped` to read."""
    rows = {kind: {"seconds": c.seconds, "memory_mb": c.memory_mb} for kind, c in {**shipped(path), **costs}.items()}
    lines = (f"{kind}: {yaml.safe_dump(row, default_flow_style=True)}" for kind, row in sorted(rows.items()))
    write_text(path, HEADER + "".join(lines))


def predict(run: RunId, costs: dict[str, Cost]) -> tuple[Cost, bool]:
    """What the run will take, and whether runs of its own kind were measured (else those nearest to it)."""
    if kind := costs.get(kind_of(run)):
        return kind, True
    parts = kind_of(run).split("/")
    for likeness in (
        (0, 1, 2, 4),
        (0, 1, 3, 4),
        (0, 4),
        (0,),
    ):  # same experiment; same algorithm; same stage; same scale
        alike = [cost for kind, cost in costs.items() if all(kind.split("/")[i] == parts[i] for i in likeness)]
        if alike:
            return Cost(statistics.median(c.seconds for c in alike), max(c.memory_mb for c in alike)), False
    return UNKNOWN, False
