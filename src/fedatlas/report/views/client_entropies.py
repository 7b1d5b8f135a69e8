"""Entropies of the clients' mixture weights: a ridge for each algorithm and for clients old and new."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import pandas as pd

from fedatlas.experiments.sections import EvaluatedSplit
from fedatlas.formatting import number
from fedatlas.report.drawing.theme import Theme
from fedatlas.report.model.figure import Figure
from fedatlas.report.views import _ridges
from fedatlas.report.views._base import View
from fedatlas.report.views._ridges import Ridge
from fedatlas.results.clients import by_algorithm
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.metric import Metric

GROUPS: dict[str, EvaluatedSplit] = {
    "old": "train",
    "new": "unseen_train",
}  # clients that trained and that joined later, by their split


class ClientEntropies(View):
    """Of clients that trained and of those that did not, for every algorithm that mixes."""

    def table(self, results: ExperimentResults, figure: Figure) -> pd.DataFrame:
        """Columns algorithm, clients (old or new), client and entropy."""
        parts = [
            values.rename("entropy").reset_index().assign(algorithm=name, clients=group)
            for group, split in GROUPS.items()
            for name, values in by_algorithm(results, Metric(metric="entropy", split=split)).items()
        ]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()

    def panels(self, results: ExperimentResults, figure: Figure) -> int:
        return 1

    def draw(self, results: ExperimentResults, figure: Figure, theme: Theme, columns: int) -> plt.Figure:
        rows = self._ridges(results, figure)
        most = max(float(row.values.max()) for row in rows)
        top = max(math.log(3), math.ceil(10 * most) / 10)
        return _ridges.draw(rows, "entropy of the mixture weights", (0.0, top), theme)

    def alt(self, results: ExperimentResults, figure: Figure) -> str:
        means = "; ".join(f"{row.name} {number(row.mean)}" for row in self._ridges(results, figure))
        return f"Distributions of the entropy of mixture weights. Means: {means}."

    def caption(self, results: ExperimentResults, figure: Figure) -> str:
        return (
            "The entropy of the mixture weights of clients that trained and of those that joined later. Zero means one "
            "component alone, log 3 = 1.1 all three alike. The dot is the mean over the clients."
        )

    def _ridges(self, results: ExperimentResults, figure: Figure) -> list[Ridge]:
        grouped = self.table(results, figure).groupby(["clients", "algorithm"], sort=False)["entropy"]
        return [
            Ridge(f"{results.names[id]}, {group} clients", results.colours[id], values.to_numpy(), float(values.mean()))
            for (group, id), values in grouped
        ]
