"""How accuracies are spread over the clients: a ridge for each algorithm."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from fedatlas.formatting import number
from fedatlas.report.drawing.theme import Theme
from fedatlas.report.model.figure import Figure
from fedatlas.report.views import _ridges
from fedatlas.report.views._base import View
from fedatlas.report.views._ridges import Ridge
from fedatlas.results.clients import by_algorithm
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.metric import Metric


class ClientAccuracies(View):
    """Of every algorithm, on the split of the figure's first panel, of the seed that has the sweep."""

    def table(self, results: ExperimentResults, figure: Figure) -> pd.DataFrame:
        """Columns algorithm, client and accuracy."""
        found = by_algorithm(results, _metric(figure))
        parts = [values.rename("accuracy").reset_index().assign(algorithm=name) for name, values in found.items()]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()

    def panels(self, results: ExperimentResults, figure: Figure) -> int:
        return 1

    def draw(self, results: ExperimentResults, figure: Figure, theme: Theme, columns: int) -> plt.Figure:
        rows = _ridges_of(results, figure)
        low = math.floor(10 * min(min(np.quantile(row.values, 0.01), row.worst) for row in rows)) / 10
        return _ridges.draw(rows, _metric(figure).name, (low, 1.0), theme)

    def alt(self, results: ExperimentResults, figure: Figure) -> str:
        rows = _ridges_of(results, figure)
        ends = "; ".join(f"{row.name} mean {number(row.mean)}, bottom decile {number(row.worst)}" for row in rows)
        return f"Distributions of {_metric(figure).name} over {len(rows[0].values)} clients. {ends}."

    def caption(self, results: ExperimentResults, figure: Figure) -> str:
        return (
            f"How the {_metric(figure).name} is spread over the clients of one seed. The dot is the mean, weighted by "
            "the clients' sizes; the stroke is the bottom decile."
        )


def _metric(figure: Figure) -> Metric:
    return Metric(metric="accuracy", split=figure.panels[0].split)


def _ridges_of(results: ExperimentResults, figure: Figure) -> list[Ridge]:
    metric, rows = _metric(figure), []
    for name, values in by_algorithm(results, metric).items():
        run = results.sweep_run(name)
        mean, worst = (run.last(of, metric.split) for of in ("accuracy", "accuracy_decile"))
        rows.append(Ridge(run.name, results.colours[name], values.to_numpy(), mean, worst))
    return rows
