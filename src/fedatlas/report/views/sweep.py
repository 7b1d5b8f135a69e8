"""The sweep: for every algorithm the score of each configuration, and every configuration's curve."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import ClassVar

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.colors import Normalize

from fedatlas.experiments.sections import Selection
from fedatlas.formatting import hyperparameter_name, named_rates
from fedatlas.report.drawing import panels
from fedatlas.report.drawing.axis_scales import drawable, is_fraction, set_log, set_plain, spans_decades
from fedatlas.report.drawing.theme import SELECTED, Theme
from fedatlas.report.model.figure import Figure
from fedatlas.report.views._base import View
from fedatlas.report.views._heat import draw_heat, shared_norm
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.metric import Metric
from fedatlas.results.run import Run

PANEL, LEFT = 2.15, 0.7  # inches of a panel's height, and of the labels beside it
TITLE, TITLE_LINE = 22, 0.16  # letters of a panel's title in a line, and inches of a second line
CURVES = " Below, every configuration over the rounds, the selected one bold."  # where a picture has them


class Sweep(View):
    """A heat map (or a line, where one hyper-parameter varies) above all curves of each algorithm."""

    columns: ClassVar = {"wide": 4}

    def table(self, results: ExperimentResults, figure: Figure) -> pd.DataFrame:
        """A row for each configuration of every algorithm that has a choice; columns algorithm, the rates and score."""
        swept = _swept(results)
        runs = {name: swept.sweep_run(name) for name in swept.runs}
        parts = [pd.DataFrame(run.grid).assign(algorithm=name, score=run.scores) for name, run in runs.items()]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()

    def panels(self, results: ExperimentResults, figure: Figure) -> int:
        return len(_swept(results).runs)

    def draw(self, results: ExperimentResults, figure: Figure, theme: Theme, columns: int) -> plt.Figure:
        """Lighter is better, hatched cells diverged, the outlined one is selected and is the bold curve below."""
        swept = _swept(results)
        runs = {name: swept.sweep_run(name) for name in swept.runs}
        rules = {name: results.experiment.for_algorithm(name).select for name in runs}
        columns = min(columns, max(2, len(runs)))
        band = [1.1, 0.9] if _curves_kept(swept) else [1.1]  # a row of scores, and one of curves below it
        bands, size = -(-len(runs) // columns), panels.Size(columns * 2.4, columns)
        top = panels.TOP + TITLE_LINE * max(_title(run).count("\n") for run in runs.values())
        canvas, axes = panels.grid(len(band) * bands * columns, size, PANEL, left=LEFT, heights=band * bands, top=top)
        for axis in axes.flat:
            axis.set_visible(False)
        for place, (name, run) in enumerate(runs.items()):
            row, column = divmod(place, columns)
            cells = axes[len(band) * row : len(band) * (row + 1), column]
            alike = [other for key, other in runs.items() if rules[key] == rules[name]]
            _draw_scores(cells[0], run, rules[name], shared_norm(alike), theme)
            if len(band) > 1:
                _draw_curves(cells[1], run, rules[name], theme)
        return canvas

    def alt(self, results: ExperimentResults, figure: Figure) -> str:
        swept = _swept(results)
        return f"Scores of the sweep. {'; '.join(_choice(swept.sweep_run(name)) for name in swept.runs)}."

    def caption(self, results: ExperimentResults, figure: Figure) -> str:
        rule = results.experiment.select
        words = (
            f"The score that selects ({Metric(metric=rule.metric, split=rule.split).name}): lighter is better, hatched "
            "cells diverged, the outlined one is selected."
        )
        sweeps = sorted({run.manifest.seed for run in results.all if run.is_sweep})
        if len(sweeps) > 1:
            words += f" Shown is seed {sweeps[0]}, the first of {len(sweeps)} that sweep."
        return words + (CURVES if _curves_kept(results) else "")


def _swept(results: ExperimentResults) -> ExperimentResults:
    """The algorithms that were trained with more than one configuration, those that communicate first."""
    ordered = {**results.federated.runs, **results.baselines.runs}
    found = replace(results, runs=ordered)
    return found.only(lambda name: bool(found.sweep_run(name).varied))


def _curves_kept(results: ExperimentResults) -> bool:
    """Whether the runs hold the curves of all configurations, which published ones do not."""
    return all(run.kept_scores is None for run in results.all)


def _choice(run: Run) -> str:
    diverged = f"{len(run.manifest.diverged)} of {len(run.grid)} diverged"
    return f"{run.name} selects {named_rates(run.configuration)}, {diverged}"


def _draw_scores(axis: plt.Axes, run: Run, rule: Selection, norm: Normalize, theme: Theme) -> None:
    colour = theme.readable(run.manifest.algorithm.colour)
    axis.set_visible(True)
    if len(run.varied) == 1:
        _draw_profile(axis, run, run.varied[0], colour)
    else:
        draw_heat(axis, run, norm, theme, lowest=rule.best == "lowest")
    axis.set_title(_title(run), color=colour)


def _title(run: Run) -> str:
    return textwrap.fill(run.name, TITLE)


def _draw_profile(axis: plt.Axes, run: Run, name: str, colour: str) -> None:
    """The score against the one hyper-parameter that varies."""
    values = pd.DataFrame(run.grid)[name]
    scores, order = drawable(run.scores.reindex(values.index)), values.sort_values().index
    axis.plot(values[order], scores[order], color=colour, marker="o", markersize=3.5, linewidth=1)
    place = values[run.selected], scores[run.selected]
    axis.plot(*place, "s", markersize=9, markerfacecolor="none", markeredgecolor=SELECTED)
    if spans_decades(scores):
        set_log(axis)
    else:
        set_plain(axis)
    if values.min() > 0:
        set_log(axis, "x")
    axis.set(xlabel=hyperparameter_name(name))
    axis.tick_params(labelsize=7.5)


def _draw_curves(axis: plt.Axes, run: Run, rule: Selection, theme: Theme) -> None:
    axis.set_visible(True)
    colour = theme.readable(run.manifest.algorithm.colour)
    rows = run.curves(rule.metric, rule.split)
    rows = rows.assign(value=drawable(rows["value"]))
    for configuration, values in rows.groupby("configuration"):
        bold = configuration == run.selected
        axis.plot(
            values["round"], values["value"], color=colour, linewidth=2 if bold else 0.7, alpha=1 if bold else 0.45
        )
    axis.set(xlabel="round")
    axis.tick_params(labelsize=7.5)
    axis.margins(x=0.01)
    if is_fraction(Metric(metric=rule.metric, split=rule.split)):
        axis.set_ylim(-0.02, 1.04)
    elif spans_decades(rows["value"]):
        set_log(axis)
