"""What a run says of itself: run.json, in the format `fedatlas-run/1`.

What is published keeps less of it; the fields that may be missing there say so.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict

from fedatlas.data.kinds import DataKind
from fedatlas.experiments.scales import Scale
from fedatlas.experiments.sections import Selection

FORMAT: Final = "fedatlas-run/1"
Configuration = dict[str, float]  # value by hyper-parameter


class _Part(BaseModel):
    """Frozen; keys that it does not know are of a later version, and left alone."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class AlgorithmInfo(_Part):
    """The entry of the experiment (`id`), the algorithm that it runs (`method`) and how figures show it."""

    id: str
    method: str
    name: str
    colour: str
    citation: str = ""


class DatasetInfo(_Part):
    """The client store that was read; `clients` and `examples` are those that train, `by_split` all examples."""

    id: str
    name: str
    options: dict[str, Any]
    seed: int
    kind: DataKind
    sha256: str
    clients: int
    examples: int
    by_split: dict[str, int] = {}


class Selected(_Part):
    """The number of the selected configuration and its score; None if it has diverged."""

    configuration: int
    value: float | None = None


class Seconds(_Part):
    """Wall seconds of a run and of its parts; `first_round` holds tracing and compiling."""

    total: float
    train: float
    evaluate: float
    first_round: float


class Manifest(_Part):
    """How a run was made.

    Attributes:
        stage: `sweep` if every configuration was trained, `tuned` if only the one selected on another seed.
        configurations: the grid.
        trained: the numbers of the configurations that were trained; empty if published.
        diverged: the round at which a configuration was found to have diverged, by its number.
        spec: the experiment as this algorithm ran it; empty if published.
        yardstick: what `fedatlas.machine.yardstick` took where it ran; None if the run was short.
        commit, dirty, started, resumed: see `fedatlas.running.provenance.Origin`.
        strength: the rule by which the data gave the strength of the penalty, where one did.
        metrics_sha256, model_sha256, sha256: of the run's other files and of the rest of this; None if published.
    """

    format: Literal["fedatlas-run/1"] = FORMAT
    paper: str
    experiment: str
    scale: Scale
    seed: int
    stage: Literal["sweep", "tuned"]
    algorithm: AlgorithmInfo
    configurations: tuple[Configuration, ...]
    trained: tuple[int, ...] = ()
    diverged: dict[int, int]
    selected: Selected
    spec: dict[str, Any] = {}
    strength: dict[str, Any] | None = None
    dataset: DatasetInfo
    engine: str
    shards: int
    precision: str
    compile: str = ""
    num_params: int
    versions: dict[str, str]
    commit: str | None
    dirty: bool
    started: str
    resumed: tuple[str, ...] = ()
    seconds: Seconds
    peak_memory_mb: float
    processor: str
    cores: int
    threads: int
    yardstick: float | None = None
    metrics_sha256: str | None = None
    model_sha256: str | None = None
    sha256: str | None = None

    @property
    def folder(self) -> Path:
        """Where the run belongs, relative to the folder of all runs."""
        return Path(self.scale, self.paper, self.experiment, self.algorithm.id, f"seed{self.seed}")

    @functools.cached_property
    def rule(self) -> Selection:
        """By which the configuration was selected. Raises ValueError if the manifest does not keep it."""
        return Selection.model_validate(self.spec.get("select"))
