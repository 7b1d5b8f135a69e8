"""The last scores of methods on several data sets, in per cent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from fedatlas.formatting import number
from fedatlas.report.drawing.axis_scales import is_fraction
from fedatlas.report.tables._of_methods import OfMethods, Score
from fedatlas.results.collection import ExperimentResults

PERCENT = 100


class Scores(OfMethods):
    """The paper's for each data set, and ours below where it was run; the best of a row and what is near it in bold."""

    def printed(self, cell: float | Mapping[str, Any]) -> Score:
        """A number, one with its deviation, or the parts that the table names."""
        if not isinstance(cell, Mapping):
            return Score(f"{cell:.1f}", cell)
        values = [cell[part] for part in self.plan.parts]
        text = " / ".join(f"{value:.1f}" for value in values)
        return Score(text + (f" ± {number(cell['std'])}" if "std" in cell else ""), values[0])

    def score(self, results: ExperimentResults, algorithm: str) -> Score | None:
        """The means at the last round over the seeds that selected nothing, over all where there are none.

        With the deviation if it is one metric.
        """
        own = self.paper.figure(results.experiment.figure).panels_of(results.experiment.id)
        metrics = [*self.plan.parts.values()] or [own[0]]
        if not results.any_run(algorithm).holds(metrics[0].metric, metrics[0].split):
            return None
        by_metric = [
            [(PERCENT if is_fraction(m) else 1) * run.last(m.metric, m.split) for run in results.scored(algorithm)]
            for m in metrics
        ]
        means = [float(np.mean(values)) for values in by_metric]
        if math.isnan(means[0]):
            return Score("diverged")
        deviation = f" ± {np.std(by_metric[0], ddof=1):.1f}" if len(metrics) == 1 and len(by_metric[0]) > 1 else ""
        return Score(" / ".join(f"{mean:.1f}" for mean in means) + deviation, means[0])
