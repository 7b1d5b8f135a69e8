"""The runs of an experiment: which there are, where they lie and what they need."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedatlas.algorithms import algorithms
from fedatlas.algorithms.base import Algorithm
from fedatlas.data import catalogue
from fedatlas.experiments.spec import Experiment, merge

# What does not change how a run is computed: neither a new title nor another seed re-runs any training.
_WORDS = ("figure", "title", "question", "assumptions", "algorithms", "proxy_for", "rates_from", "reading", "scales")
_NOT_SETTINGS: Any = {**dict.fromkeys(_WORDS, True), "seeds": {"tuned"}}


@dataclass(frozen=True)
class RunId:
    """One algorithm on one experiment with one seed: one job, one metrics table, one manifest.

    Attributes:
        algorithm: the entry of the experiment, which may be a variant; what it runs is `method`.
    """

    experiment: Experiment
    algorithm: str
    seed: int

    @functools.cached_property
    def spec(self) -> Experiment:
        """The experiment as this algorithm runs it."""
        return self.experiment.for_algorithm(self.algorithm)

    @property
    def method(self) -> type[Algorithm]:
        """The algorithm that is run."""
        return algorithms[self.experiment.variant(self.algorithm).algorithm]

    @property
    def label(self) -> str:
        """What figures call it."""
        return self.experiment.variant(self.algorithm).label or self.method.name

    @property
    def colour(self) -> str:
        """Of its curves."""
        return self.experiment.variant(self.algorithm).colour or self.method.colour

    @property
    def stage(self) -> str:
        """`sweep` if every configuration is trained, `tuned` if only the selected one."""
        return "sweep" if self.seed in self.experiment.seeds.sweep else "tuned"

    @property
    def sweep_run(self) -> RunId:
        """The run on whose metrics the configuration of a tuned run is selected."""
        return RunId(self.experiment, self.algorithm, self.experiment.seeds.sweep[0])

    @property
    def reference_run(self) -> RunId | None:
        """The run whose last objective is the optimum that this run is compared with."""
        reference = self.experiment.reference
        return None if reference in (None, self.algorithm) else RunId(self.experiment, reference, self.seed)

    @property
    def inputs(self) -> list[RunId]:
        """The runs that must have ended before this one."""
        tuned = [self.sweep_run] if self.stage == "tuned" else []
        return tuned + ([self.reference_run] if self.reference_run else [])

    @property
    def folder(self) -> Path:
        """Where the run lies, relative to the folder of all runs."""
        experiment = self.experiment
        return Path(experiment.scale, experiment.paper, experiment.id, self.algorithm, f"seed{self.seed}")

    @property
    def dataset_id(self) -> str:
        """The name of the client store that the run reads."""
        dataset = self.spec.dataset
        return catalogue.dataset_id(dataset.name, dataset.options, dataset.seed_of(self.seed))

    def with_penalty(self, options: Mapping[str, Any]) -> RunId:
        """The same run with other options of its penalty, for this algorithm alone."""
        overrides = self.experiment.algorithms
        mine = merge(overrides[self.algorithm], {"problem": {"penalty": options}})
        experiment = self.experiment.model_copy(update={"algorithms": {**overrides, self.algorithm: mine}})
        return RunId(experiment, self.algorithm, self.seed)

    @property
    def settings(self) -> str:
        """Everything in the experiment's file that the run's result depends on, as text."""
        return settings_of(self.experiment.variant(self.algorithm).algorithm, self.spec)

    @functools.cached_property
    def configurations(self) -> list[dict[str, float]]:
        """The grid: every combination of the sweep's values, the last hyper-parameter varying fastest."""
        sweep = self.spec.sweep
        return [dict(zip(sweep, values, strict=True)) for values in itertools.product(*sweep.values())]


def settings_of(method: str, spec: Experiment) -> str:
    """`RunId.settings` of an algorithm and the experiment as it runs it."""
    return f"{method}: {spec.model_dump_json(exclude=_NOT_SETTINGS, exclude_none=True)}"


def runs_of(experiments: Iterable[Experiment]) -> list[RunId]:
    """Every run of the experiments, but for those that are not run at their scale."""
    return [
        RunId(experiment, algorithm, seed)
        for experiment in experiments
        if experiment.runs_here
        for algorithm in experiment.algorithms
        for seed in (*experiment.seeds.sweep, *experiment.seeds.tuned)
    ]
