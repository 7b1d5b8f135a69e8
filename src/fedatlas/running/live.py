"""A picture of a run that is redrawn while it goes."""

from __future__ import annotations

import time

import matplotlib.pyplot as plt
import seaborn as sns

from fedatlas.experiments.runs import RunId
from fedatlas.results.table import over_all_clients
from fedatlas.running.runner import Progress


class LivePicture:
    """Draws the metric that selects, every configuration's curve so far, at most every other second.

    Attributes:
        figure: the picture.
    """

    def __init__(self, run: RunId):
        from IPython.display import DisplayHandle

        self._rule, self._run = run.spec.select, run
        self.figure, self._axis = plt.subplots(figsize=(7, 3.5), layout="constrained")
        self._handle = DisplayHandle()
        self._handle.display(self.figure)
        self._drawn = 0.0

    def __call__(self, progress: Progress) -> None:
        last = progress.round == progress.rounds
        if time.monotonic() - self._drawn < 2 and not last:
            return
        rows = over_all_clients(progress.table, self._rule.metric, self._rule.split)
        names = [", ".join(f"{name} {value:g}" for name, value in c.items()) for c in self._run.configurations]
        rows["rates"] = [names[number] for number in rows["configuration"]]
        self._axis.clear()
        many = rows["configuration"].nunique() > 12
        sns.lineplot(rows, x="round", y="value", hue="rates", ax=self._axis, legend=not many, palette="viridis", lw=1)
        self._axis.set(
            xlabel="round", ylabel=self._rule.metric, title=f"{self._run.experiment.title}: {self._run.algorithm}"
        )
        self._handle.update(self.figure)
        if last:
            plt.close(self.figure)
        self._drawn = time.monotonic()
