"""The results of one experiment by algorithm and seed, and of everything that was run at one scale."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fedatlas.algorithms import algorithms
from fedatlas.data.kinds import DataKind
from fedatlas.data.titles import title
from fedatlas.errors import AtlasError
from fedatlas.experiments.runs import RunId, runs_of
from fedatlas.experiments.scales import Scale
from fedatlas.experiments.spec import Experiment
from fedatlas.formatting import span
from fedatlas.names import instead
from fedatlas.results.axes import Axis
from fedatlas.results.freshness import is_fresh
from fedatlas.results.metric import Metric
from fedatlas.results.run import Run, load_run
from fedatlas.results.selection import best_along

if TYPE_CHECKING:
    import pandas as pd
else:
    from fedatlas.lazy import pd

BySeed = Mapping[int, Run]


@dataclass(frozen=True)
class ExperimentResults:
    """The runs of one experiment at one scale.

    Attributes:
        runs: [algorithm][seed]; an algorithm is an entry of the experiment.
        stores: the folder of the client stores, where they are on this disk.
    """

    experiment: Experiment
    runs: Mapping[str, BySeed]
    stores: Path | None = None

    @property
    def key(self) -> str:
        return self.experiment.key

    @property
    def scale(self) -> Scale:
        return self.experiment.scale

    @property
    def all(self) -> list[Run]:
        """Every run."""
        return [run for by_seed in self.runs.values() for run in by_seed.values()]

    @property
    def seeds(self) -> list[int]:
        return sorted({seed for by_seed in self.runs.values() for seed in by_seed})

    def only(self, wanted: Callable[[str], bool]) -> ExperimentResults:
        """With those of the algorithms that are wanted."""
        return replace(self, runs={name: by_seed for name, by_seed in self.runs.items() if wanted(name)})

    def shown(self, algorithms: Collection[str]) -> ExperimentResults:
        """Those of the algorithms, in their order, or all if there are none; never a reference solution."""
        runs = {name: by_seed for name, by_seed in self.runs.items() if name != self.experiment.reference}
        return replace(self, runs={name: runs[name] for name in algorithms if name in runs} or runs)

    @property
    def federated(self) -> ExperimentResults:
        """The algorithms that communicate."""
        return self.only(self._communicates)

    @property
    def baselines(self) -> ExperimentResults:
        """Those that do not; their rounds are epochs, so only where they end can be compared."""
        return self.only(lambda name: not self._communicates(name))

    def holding(self, metric: Metric) -> ExperimentResults:
        """The algorithms that recorded the metric."""
        return self.only(lambda name: self.any_run(name).holds(metric.metric, metric.split))

    def lost(self, metric: Metric) -> dict[str, list[int]]:
        """By algorithm the seeds with which it has diverged, of an algorithm that has a number with others."""
        ends = {
            algorithm: {seed: run.last(metric.metric, metric.split) for seed, run in by_seed.items()}
            for algorithm, by_seed in self.holding(metric).runs.items()
        }
        lost = {name: [seed for seed, end in by_seed.items() if np.isnan(end)] for name, by_seed in ends.items()}
        return {name: seeds for name, seeds in lost.items() if 0 < len(seeds) < len(ends[name])}

    def without_lost(self, metric: Metric) -> ExperimentResults:
        """Without the runs that are `lost`, so that one seed takes neither the mean nor the axis of the others."""
        lost = self.lost(metric)
        kept = {
            name: {seed: run for seed, run in by_seed.items() if seed not in lost.get(name, ())}
            for name, by_seed in self.runs.items()
        }
        return replace(self, runs=kept)

    def of(self, algorithm: str) -> BySeed:
        """The runs of one algorithm.

        Raises:
            AtlasError: if the experiment does not have the algorithm.
        """
        self.experiment.must_have(algorithm)
        return self.runs[algorithm]

    def any_run(self, algorithm: str) -> Run:
        """One of an algorithm's runs, for what they share."""
        return next(iter(self.runs[algorithm].values()))

    def scored(self, algorithm: str) -> list[Run]:
        """The runs of the seeds that selected nothing, all where there are none."""
        return list(_scored(self.runs[algorithm]).values())

    @property
    def only_scored(self) -> ExperimentResults:
        """With the runs that are `scored`."""
        return replace(self, runs={name: _scored(by_seed) for name, by_seed in self.runs.items()})

    def sweep_run(self, algorithm: str) -> Run:
        """The run that trained the whole grid, on the first seed that did."""
        return next(run for run in self.runs[algorithm].values() if run.is_sweep)

    @property
    def names(self) -> dict[str, str]:
        """Display name by algorithm."""
        return {algorithm: self.any_run(algorithm).name for algorithm in self.runs}

    def named(self, name: str) -> str | None:
        """The algorithm of that display name; None if there is none."""
        return next((algorithm for algorithm, own in self.names.items() if own == name), None)

    @property
    def colours(self) -> dict[str, str]:
        """Colour by algorithm."""
        return {algorithm: self.any_run(algorithm).manifest.algorithm.colour for algorithm in self.runs}

    @property
    def data_kind(self) -> DataKind:
        """The kind of the data of its runs; of several the one that says least."""
        return min((run.manifest.dataset.kind for run in self.all), key=lambda kind: kind.strength)

    @property
    def data(self) -> str:
        """What the data of its runs is, beside the paper's: its own, other real data, or simulated."""
        proxy = self.experiment.proxy_for
        if self.data_kind == DataKind.STAND_IN:
            return "simulated stand-in"
        if self.data_kind == DataKind.SYNTHETIC:
            return f"simulated by a law of ours (the paper has {proxy})" if proxy else "simulated as in the paper"
        if proxy:
            return f"other real data ({self.data_names}, {self.trained_on}; the paper has {proxy})"
        return f"the paper's own ({self.data_names}, {self.trained_on})"

    @property
    def whose(self) -> str:
        """`data` without what stands in brackets."""
        return self.data.partition(" (")[0]

    @property
    def data_names(self) -> str:
        """What its data sets are called: 'MNIST by writer'."""
        return ", ".join(dict.fromkeys(title(run.manifest.dataset.name) for run in self.all))

    @property
    def trained_on(self) -> str:
        """How much of it trains, which tells a part from the whole: '60 000 training examples'."""
        return f"{span(run.manifest.dataset.examples for run in self.all)} training examples"

    @property
    def is_stand_in(self) -> bool:
        return self.data_kind == DataKind.STAND_IN

    def curves(self, metric: Metric, against: Axis = "rounds") -> pd.DataFrame:
        """The selected configuration of every algorithm and seed; columns algorithm, seed, round, x, value."""
        frames = [
            run.curve(metric.metric, metric.split, against).reset_index().assign(algorithm=algorithm, seed=seed)
            for algorithm, by_seed in self.holding(metric).runs.items()
            for seed, run in by_seed.items()
        ]
        columns = ["algorithm", "seed", "round", "x", "value"]
        return pd.concat(frames, ignore_index=True)[columns] if frames else pd.DataFrame(columns=columns)

    def last(self, algorithm: str, metric: Metric) -> float:
        """The mean last value of the runs that are `scored`; NaN if the selected configuration diverged with one."""
        return float(np.mean([run.last(metric.metric, metric.split) for run in self.scored(algorithm)]))

    def sensitivity(self, algorithm: str, hyperparameter: str) -> pd.DataFrame:
        """The score of the sweep against one hyper-parameter, the others as they are best on average over the seeds.

        Returns:
            A row for each value; columns value, score, least and greatest over the seeds; NaN where every
            configuration has diverged.
        """
        sweeps = [run for run in self.runs[algorithm].values() if run.is_sweep]
        grid, best = sweeps[0].grid, self.experiment.for_algorithm(algorithm).select.best
        by_configuration = pd.concat([run.scores for run in sweeps], axis=1).reindex(range(len(grid)))
        means = by_configuration.mean(axis=1, skipna=False)
        chosen = best_along(grid, means, hyperparameter, best)
        seeds = by_configuration.loc[chosen]
        return pd.DataFrame(
            {
                "value": chosen.index,
                "score": means[chosen].to_numpy(),
                "least": seeds.min(axis=1, skipna=False).to_numpy(),
                "greatest": seeds.max(axis=1, skipna=False).to_numpy(),
            }
        )

    def _communicates(self, algorithm: str) -> bool:
        """So does one that only the program which ran it knows."""
        method = self.any_run(algorithm).manifest.algorithm.method
        return method not in algorithms or algorithms[method].data == "cohort"


def _scored(by_seed: BySeed) -> BySeed:
    return {seed: run for seed, run in by_seed.items() if not run.chose} or by_seed


@dataclass(frozen=True)
class Results:
    """The results of one scale, by the experiments' keys.

    Attributes:
        known: every experiment of the atlas by its key, run or not, at this scale or not.
    """

    scale: Scale
    known: Mapping[str, Experiment]
    experiments: Mapping[str, ExperimentResults] = field(default_factory=dict)

    def __contains__(self, key: str) -> bool:
        return key in self.experiments

    def __getitem__(self, key: str) -> ExperimentResults:
        return self.experiments[key]

    @property
    def all(self) -> list[Run]:
        """Every run."""
        return [run for results in self.experiments.values() for run in results.all]

    def of_paper(self, paper: str) -> list[ExperimentResults]:
        """Those of one paper's experiments."""
        return [results for results in self.experiments.values() if results.experiment.paper == paper]


def read_results(
    folder: Path,
    known: Mapping[str, Experiment],
    scale: Scale,
    chosen: Iterable[str] | None = None,
    stores: Path | None = None,
) -> Results:
    """Reads the runs under `folder` of the `chosen` experiments (all of this scale if None).

    Args:
        stores: the folder of the client stores.

    Raises:
        AtlasError: if a chosen experiment is unknown, or one of its runs is missing, cut off or older than its file.
    """
    here = {key: experiment for key, experiment in known.items() if experiment.runs_here}
    wanted = here if chosen is None else set(chosen)
    for key in wanted:
        if key in known and key not in here:
            raise AtlasError(f"{key} is not run at {scale} scale, only at: {', '.join(known[key].scales)}.")
        if key not in here:
            raise AtlasError(f"unknown experiment '{key}'; {instead(key, here)}")
    found = {key: _read(folder, experiment, stores) for key, experiment in here.items() if key in wanted}
    return Results(Scale(scale), known, found)


def _read(folder: Path, experiment: Experiment, stores: Path | None) -> ExperimentResults:
    runs: dict[str, dict[int, Run]] = {}
    for run in runs_of([experiment]):
        found = load_run(folder / run.folder)
        if found.manifest.folder != run.folder:
            raise AtlasError(f"{found.folder} holds another run ({found.manifest.folder}): delete it and run it again.")
        if not is_fresh(run, found.manifest):
            raise AtlasError(f"{found.folder} was run before the file of {experiment.key} was changed: run it again.")
        runs.setdefault(run.algorithm, {})[run.seed] = _as_called_now(run, found)
    return ExperimentResults(experiment, runs, stores)


def _as_called_now(run: RunId, found: Run) -> Run:
    """The run with its current label and colour; changing those never triggers a re-run."""
    return found.named(run.label, run.colour)
