"""Last values against a setting: how much an algorithm depends on what an experiment's entries vary."""

from __future__ import annotations

from collections.abc import Callable

import matplotlib.pyplot as plt
import pandas as pd

from fedatlas.algorithms import algorithms
from fedatlas.claims.evidence import Evidence, curve
from fedatlas.claims.words import number
from fedatlas.experiments.results import Run
from fedatlas.experiments.spec import Experiment
from fedatlas.report import frames
from fedatlas.report.figures import scales
from fedatlas.report.figures.marks import Key
from fedatlas.report.figures.theme import Theme
from fedatlas.report.papers import Panel

APART = 0.08  # of the axis, so that two of its numbers do not touch
WORDS = {
    "participation": "share of the clients in a round",
    "components": "components M",
    "labelled": "share of the labelled examples",
}


def _participation(spec: Experiment, run: Run) -> float:
    cohort, clients = spec.training.cohort, run.manifest["dataset"]["clients"]
    return 1.0 if cohort == "all" else cohort / clients


_VALUES: dict[str, Callable[[Experiment, Run], float]] = {
    "participation": _participation,
    "components": lambda spec, run: spec.problem.components or 1,
    "labelled": lambda spec, run: spec.dataset.options.get("labelled", 1.0),
}


def profiles(evidence: Evidence, key: str, panel: Panel) -> dict[str, pd.DataFrame]:
    """By registered algorithm, a row for each value of the setting, rising.

    Columns value; mean, least and greatest of the metric's last values over the seeds.
    """
    runs = frames.of_panel(frames.federated(evidence, key), panel)
    rows = []
    for entry, by_seed in runs.items():
        spec, run = evidence.experiments[key].for_algorithm(entry), next(iter(by_seed.values()))
        ends = [float(curve(run, panel.metric, panel.split).iloc[-1]) for run in by_seed.values()]
        row = {"value": _VALUES[panel.over](spec, run), "mean": sum(ends) / len(ends)}
        rows.append({"algorithm": frames.method(run)} | row | {"least": min(ends), "greatest": max(ends)})
    table = pd.DataFrame(rows).sort_values("value")
    return {name: own.drop(columns="algorithm") for name, own in table.groupby("algorithm", sort=False)}


def draw_panel(axis: plt.Axes, evidence: Evidence, key: str, panel: Panel, theme: Theme) -> list[Key]:
    """The mean over seeds of every algorithm, the band spans them; returns what belongs into the legend."""
    keys = []
    for name, table in profiles(evidence, key, panel).items():
        colour = theme.readable(algorithms[name].colour)
        axis.fill_between(table["value"], table["least"], table["greatest"], color=colour, alpha=0.2, linewidth=0)
        axis.plot(table["value"], table["mean"], color=colour, linewidth=1.9, marker="o", markersize=3.5)
        keys.append(Key(algorithms[name].name, colour))
    values = sorted({value for table in profiles(evidence, key, panel).values() for value in table["value"]})
    axis.set_xticks(values, _labels(values))
    axis.set(title=panel.heading, xlabel=WORDS[panel.over], ylabel="")
    if scales.is_log([], panel):
        axis.set_yscale("log")
    return keys


def _labels(values: list[float]) -> list[str]:
    """Those of rising values, without the ones that would stand in the one before."""
    labels, last = [], -float("inf")
    for value in values:
        fits = value - last >= APART * (values[-1] - values[0])
        labels.append(number(value) if fits else "")
        last = value if fits else last
    return labels


def words(evidence: Evidence, key: str, panel: Panel) -> str:
    """The values of a panel, for those who do not see it."""
    curves = [
        f"{algorithms[name].name} {', '.join(f'{number(row.value)}: {number(row.mean)}' for row in table.itertuples())}"
        for name, table in profiles(evidence, key, panel).items()
    ]
    return f"{panel.name} against the {WORDS[panel.over]}: {'; '.join(curves)}"
