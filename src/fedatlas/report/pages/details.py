"""Best configurations, sweep and provenance of an experiment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fedatlas.experiments.sections import MeanCriterion
from fedatlas.experiments.spec import Experiment
from fedatlas.formatting import hyperparameter_name, listed, metric_name
from fedatlas.report.drawing.picture import Picture
from fedatlas.report.model.figure import Figure
from fedatlas.report.model.inputs import SiteInputs
from fedatlas.report.pages.best import Best, best_configurations
from fedatlas.report.pages.drawn import draw_view, kept_view
from fedatlas.report.pages.notebook import write_notebook
from fedatlas.results import summary
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.run import Run


@dataclass(frozen=True)
class Details:
    """What stands once for each experiment, with its own figure.

    Attributes:
        rates: what the configurations of `best` are the values of.
        rule: how one is selected; `grid` what the sweep tries.
        facts: (name, value) of what the runs have in common.
        runs: rows of the provenance table.
        changed: the settings that the experiment's file has changed since the runs.
    """

    best: list[Best]
    ends: list[str]
    rates: str
    rule: str
    sweep: Picture | None
    grid: str
    facts: list[tuple[str, str]]
    runs: list[dict[str, Any]]
    configuration: str
    changed: str = ""


def details(inputs: SiteInputs, results: ExperimentResults, figure: Figure) -> Details:
    """Draws the sweep and writes the runs' notebooks."""
    experiment = results.experiment
    return Details(
        best=best_configurations(results, figure, inputs.claims),
        ends=[panel.name for panel in figure.measures],
        rates=rate_words(results),
        rule=rule_words(experiment),
        sweep=_sweep(inputs, results, figure),
        grid=grid_words(results),
        facts=summary.facts(results.all),
        runs=[summary.row(run, _notebook(inputs, run)) for run in results.all],
        configuration=summary.configuration(experiment),
        changed=_changed(inputs, results),
    )


def _changed(inputs: SiteInputs, results: ExperimentResults) -> str:
    """What has changed in the experiment's file since the runs: of what this machine has run here, nothing."""
    kept = inputs.published.get(results.key)
    return listed(kept.changed) if kept and kept.changed and results is kept.results else ""


def _sweep(inputs: SiteInputs, results: ExperimentResults, figure: Figure) -> Picture | None:
    stem = f"figures/{results.key.replace('/', '-')}-sweep"
    if results is inputs.results.experiments.get(results.key):
        return draw_view(inputs.out, stem, "sweep", results, figure)
    published = inputs.published[results.key]
    return kept_view(inputs.out, published, "sweep", figure) or draw_view(
        inputs.out, f"{stem}-published", "sweep", results, figure
    )


def rate_words(results: ExperimentResults) -> str:
    """How configurations are given: without names where they are the hyper-parameters of the whole experiment."""
    common = [*results.experiment.sweep]
    if not common or all([*results.sweep_run(algorithm).configuration] != common for algorithm in results.runs):
        return "by name"
    return f"as ({', '.join(map(hyperparameter_name, common))})"


def grid_words(results: ExperimentResults) -> str:
    """How much the sweep tries, in words."""
    sizes = [len(results.sweep_run(algorithm).grid) for algorithm in results.runs]
    most = max(sizes)
    number = f"{most}" if min(sizes) == most else f"{min(sizes)} to {most}"
    return f"{number} configuration{'s' if most > 1 else ''} of each algorithm"


def rule_words(experiment: Experiment) -> str:
    """How a configuration is selected, in words."""
    rule = experiment.select
    rounds = experiment.training.rounds
    return ", ties by ".join(
        f"{c.best} {metric_name(c.metric, c.split)}{_window(c, rounds)}" for c in (rule, rule.ties) if c is not None
    )


def _window(criterion: MeanCriterion, rounds: int) -> str:
    """At which rounds a configuration is scored."""
    several = criterion.over_last
    if criterion.until is None:
        last = "all" if several >= rounds else f"the last {several}"
        return f", mean over {last} rounds" if several > 1 else " at the last round"
    over = f", mean over the {several} rounds up to" if several > 1 else " at"
    return f"{over} round {criterion.until}, after which it alone is trained"


def _notebook(inputs: SiteInputs, run: Run) -> str | None:
    """The page of the executed notebook, where it is on this disk."""
    source = run.folder / "train.ipynb"
    if not source.is_file():
        return None
    about = run.manifest
    name = f"notebooks/{about.paper}/{about.experiment}-{about.algorithm.id}-seed{about.seed}.html"
    title = f"{run.name} on {about.experiment}, seed {about.seed}"
    return write_notebook(source, inputs.out, name, title, inputs.navigation)
