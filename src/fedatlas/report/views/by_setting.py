"""Last values against a setting: how much an algorithm depends on what an experiment's entries vary."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from fedatlas.algorithms import algorithms
from fedatlas.experiments.spec import Experiment
from fedatlas.formatting import number
from fedatlas.lazy import alt
from fedatlas.report.drawing import vega
from fedatlas.report.drawing.axis_scales import is_log, set_log
from fedatlas.report.drawing.legend import LegendEntry
from fedatlas.report.drawing.theme import Theme
from fedatlas.report.model.figure import Figure, Panel
from fedatlas.report.views._base import Explorer
from fedatlas.report.views._panels import PanelView
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.run import Run

APART = 0.08  # of the axis, so that two of its numbers do not touch
TITLES = {
    "participation": "share of the clients in a round",
    "components": "components M",
    "labelled": "share of the labelled examples",
}


class BySetting(PanelView):
    """The metric's last value of entries that run one algorithm in different settings."""

    def panel_table(self, results: ExperimentResults, figure: Figure, panel: Panel) -> pd.DataFrame:
        """By algorithm, a row for each value of the setting, rising; mean, least and greatest over the seeds."""
        shown = results.federated.holding(panel).only_scored
        rows = []
        for entry, by_seed in shown.runs.items():
            if panel.algorithms and entry not in panel.algorithms:
                continue
            spec, run = results.experiment.for_algorithm(entry), shown.any_run(entry)
            ends = [own.last(panel.metric, panel.split) for own in by_seed.values()]
            row = {"algorithm": run.manifest.algorithm.method, "value": _VALUES[_over(panel)](spec, run)}
            rows.append(row | {"mean": np.mean(ends), "least": np.min(ends), "greatest": np.max(ends)})
        columns = ["algorithm", "value", "mean", "least", "greatest"]
        return pd.DataFrame(rows, columns=columns).sort_values("value", ignore_index=True)

    def entries(self, results: ExperimentResults, figure: Figure, panel: Panel, theme: Theme) -> list[LegendEntry]:
        ids = self.panel_table(results, figure, panel)["algorithm"].unique()
        return [LegendEntry(algorithms[id].name, theme.readable(algorithms[id].colour)) for id in ids]

    def draw_panel(
        self, axis: plt.Axes, results: ExperimentResults, figure: Figure, panel: Panel, theme: Theme
    ) -> None:
        """The mean over the seeds of every algorithm; the band spans them."""
        table = self.panel_table(results, figure, panel)
        for id, rows in table.groupby("algorithm", sort=False):
            colour = theme.readable(algorithms[id].colour)
            axis.fill_between(rows["value"], rows["least"], rows["greatest"], color=colour, alpha=0.2, linewidth=0)
            axis.plot(rows["value"], rows["mean"], color=colour, linewidth=1.9, marker="o", markersize=3.5)
        values = sorted(table["value"].unique())
        axis.set_xticks(values, _labels(values))
        axis.set(title=panel.heading, xlabel=TITLES[_over(panel)], ylabel="")
        if is_log(table["mean"], panel):
            set_log(axis)

    def alt(self, results: ExperimentResults, figure: Figure) -> str:
        panels = []
        for panel in figure.panels:
            curves = [
                f"{algorithms[id].name} {', '.join(f'{number(r.value)}: {number(r.mean)}' for r in rows.itertuples())}"
                for id, rows in self.panel_table(results, figure, panel).groupby("algorithm", sort=False)
            ]
            panels.append(f"Lines of {panel.name} against the {TITLES[_over(panel)]}: {'; '.join(curves)}")
        return f"{'. '.join(panels)}."

    def caption(self, results: ExperimentResults, figure: Figure) -> str:
        return "Each point is the best configuration of a sweep at the last round, mean over seeds; bands span them."

    def chart(self, results: ExperimentResults, figure: Figure) -> Explorer:
        titles = {panel.heading: TITLES[_over(panel)] for panel in figure.panels}
        table = self.table(results, figure)
        names = {id: algorithms[id].name for id in table["algorithm"].unique()}
        colours = {name: vega.style_colour(algorithms[id].colour) for id, name in names.items()}
        rows = table.assign(algorithm=table["algorithm"].map(names), mean=table["mean"].map(vega.rounded))
        start = {"panel": figure.panels[0].heading, "scale": "linear", "metric": "mean"}
        choices = [("value", "panel", [(heading, heading) for heading in titles]), vega.scale_choice("linear")]
        headings = {heading: heading for heading in titles}
        x, y = vega.Title("panel", titles), vega.Title("panel", headings)
        chart = vega.lines(rows, "datum.panel == panel", alt.X("value:Q", title=None), colours, start)
        return vega.explorer(chart, choices, colours, x, y)


def _over(panel: Panel) -> str:
    """The panel's setting, which every panel of this kind has."""
    return cast(str, panel.over)


def _participation(spec: Experiment, run: Run) -> float:
    cohort = spec.training.cohort
    return 1.0 if cohort == "all" else cohort / run.manifest.dataset.clients


_VALUES: dict[str, Callable[[Experiment, Run], float]] = {
    "participation": _participation,
    "components": lambda spec, run: spec.problem.components or 1,
    "labelled": lambda spec, run: spec.dataset.options.get("labelled", 1.0),
}


def _labels(values: list[float]) -> list[str]:
    """Those of rising values, without the ones that would stand in the one before."""
    labels, last = [], -float("inf")
    for value in values:
        fits = value - last >= APART * (values[-1] - values[0])
        labels.append(number(value) if fits else "")
        last = value if fits else last
    return labels
