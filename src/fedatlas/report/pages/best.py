"""The paper's best configurations beside ours, and where they end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from fedatlas.claims.checks.choice import Choice
from fedatlas.claims.schema import Claim
from fedatlas.formatting import decimals, listed, named_rates, number, rates
from fedatlas.report.drawing.vega import style_colour
from fedatlas.report.model.figure import Figure
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.metric import Metric
from fedatlas.results.run import Run


class Best(NamedTuple):
    """A row of the table.

    Attributes:
        paper, ours: the configurations, each with its seeds where seeds select different ones; `ties` those whose score
            equals that of ours, where all seeds select the same.
        ends: the last values of the figure's metrics.
    """

    name: str
    dot: str
    paper: str
    ours: str
    ties: str
    ends: list[str]
    sent: str
    diverged: str


def best_configurations(results: ExperimentResults, figure: Figure, claims: Iterable[Claim]) -> list[Best]:
    """One row per algorithm."""
    common = [*results.experiment.sweep]
    paper = _paper_rates(results.key, claims, common)
    return [
        Best(
            name=run.name,
            dot=style_colour(run.manifest.algorithm.colour),
            paper=paper.get(algorithm, "–"),
            ours="; ".join(_selected(results.scored(algorithm), common)),
            ties=", ".join(_written(tie, common) for tie in _ties(results, algorithm)),
            ends=[_end(results, algorithm, panel) for panel in figure.measures],
            sent=_sent(run),
            diverged=f"{len(run.manifest.diverged)} of {len(run.grid)}",
        )
        for algorithm in results.runs
        for run in (results.sweep_run(algorithm),)
    ]


def _paper_rates(key: str, claims: Iterable[Claim], common: list[str]) -> dict[str, str]:
    """The configurations that the paper reports are what its claims about choices expect, together."""
    expected: dict[str, dict[str, float]] = defaultdict(dict)
    for claim in claims:
        if f"{claim.paper}/{claim.experiment}" == key and isinstance(claim.check, Choice):
            for algorithm in claim.check.algorithms:
                expected[algorithm].update(claim.check.expect)
    return {algorithm: _written(configuration, common) for algorithm, configuration in expected.items()}


def _written(configuration: dict[str, float], common: list[str]) -> str:
    """'(0.001, 3)'; with their names where they are not the hyper-parameters of the whole experiment."""
    if [*configuration] == common:
        return rates(configuration)
    return named_rates(configuration)


def _selected(runs: Iterable[Run], common: list[str]) -> list[str]:
    """The configuration of all runs; where they differ, each with its seeds."""
    seeds: dict[str, list[str]] = defaultdict(list)
    for run in runs:
        seeds[_written(run.configuration, common)].append(str(run.manifest.seed))
    if len(seeds) == 1:
        return [*seeds]
    return [f"{written} on {'seeds' if len(of) > 1 else 'seed'} {listed(of)}" for written, of in seeds.items()]


def _ties(results: ExperimentResults, algorithm: str) -> list[dict[str, float]]:
    """The configurations whose score equals the selected one's, so that the rule for ties decided between them."""
    run = results.sweep_run(algorithm)
    if any(other.configuration != run.configuration for other in results.scored(algorithm)):
        return []
    tied = run.scores.index[run.scores == run.scores[run.selected]]
    return [run.grid[place] for place in tied if place != run.selected]


def _end(results: ExperimentResults, algorithm: str, metric: Metric) -> str:
    """The last value over the seeds that are scored, if the runs recorded the metric."""
    if not results.any_run(algorithm).holds(metric.metric, metric.split):
        return "–"
    return _spread([run.last(metric.metric, metric.split) for run in results.scored(algorithm)])


def _spread(values: list[float]) -> str:
    mean = float(np.mean(values))
    if len(values) == 1 or not np.isfinite(values).all():
        return number(mean)
    if not 1e-4 <= abs(mean) < 1e6:
        return f"{number(mean)} ± {number(np.std(values, ddof=1))}"
    digits = decimals(mean)
    return f"{mean:.{digits}f} ± {np.std(values, ddof=1):.{digits}f}"


def _sent(run: Run) -> str:
    total = run.last("bytes_down", "cost") + run.last("bytes_up", "cost")
    return f"{number(total / 1e6)} MB" if total else "nothing"
