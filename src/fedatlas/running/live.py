"""A picture of a run that is redrawn while it goes."""

from __future__ import annotations

import time

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns

from fedatlas.experiments.runs import RunId
from fedatlas.formatting import hyperparameter_name, metric_name
from fedatlas.results.table import over_all_clients
from fedatlas.running.runner import Progress

NAMED = 10  # curves that have a colour and a place in the legend


class LivePicture:
    """Draws the metric that selects, every configuration's curve so far, at most every other second.

    Attributes:
        figure: the picture.
    """

    def __init__(self, run: RunId):
        from IPython.display import DisplayHandle

        self._rule, self._run = run.spec.select, run
        self.figure, self._axis = plt.subplots(figsize=(9, 3.6), layout="constrained")
        self._handle = DisplayHandle()
        self._handle.display(self.figure)
        self._drawn = 0.0

    def __call__(self, progress: Progress) -> None:
        last = progress.round == progress.rounds
        if time.monotonic() - self._drawn < 2 and not last:
            return
        self._draw(over_all_clients(progress.table, self._rule.metric, self._rule.split))
        self._handle.update(self.figure)
        if last:
            plt.close(self.figure)
        self._drawn = time.monotonic()

    def _draw(self, rows: pd.DataFrame) -> None:
        """The best curves in colours, with their rates; the others in grey; what has diverged is counted."""
        curves = rows.pivot(index="round", columns="configuration", values="value")
        last = curves.iloc[-1]
        order = last.dropna().sort_values(ascending=self._rule.best == "lowest").index
        colours = dict(zip(order[:NAMED], sns.color_palette("viridis", min(NAMED, len(order))), strict=False))
        self._axis.clear()
        for number in reversed(order):
            colour = colours.get(number, "0.8")
            label = self._words(number) if number in colours else None
            self._axis.plot(curves.index, curves[number], color=colour, lw=1.2, label=label)
        lost = int(last.isna().sum())
        told = f"; {lost} of {len(last)} configurations have diverged" if lost else ""
        self._axis.set_title(f"{self._run.experiment.title}: {self._run.label}{told}", fontsize=9)
        self._axis.set(xlabel="round", ylabel=metric_name(self._rule.metric, self._rule.split))
        if colours:
            self._legend(len(order))

    def _legend(self, number: int) -> None:
        """Beside the curves, the best on top."""
        handles, labels = self._axis.get_legend_handles_labels()
        title = f"best {len(labels)} of {number}" if number > len(labels) else None
        place = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5), "frameon": False, "fontsize": 8}
        self._axis.legend(handles[::-1], labels[::-1], title=title, title_fontsize=8, **place)

    def _words(self, configuration: int) -> str:
        chosen, varied = self._run.configurations[configuration], self._run.spec.sweep
        many = [name for name in chosen if len(varied[name]) > 1] or [*chosen]
        return ", ".join(f"{hyperparameter_name(name)} {chosen[name]:g}" for name in many)
