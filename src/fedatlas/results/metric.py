"""A metric that runs record."""

from __future__ import annotations

from fedatlas.config import Strict
from fedatlas.experiments.sections import Split
from fedatlas.formatting import metric_name

ROUNDING = 1e-6  # relative; metrics are means in single precision


class Metric(Strict):
    """A metric of the selected configuration on a split; NaN once that configuration has diverged."""

    metric: str
    split: Split

    @property
    def name(self) -> str:
        """In words, such as 'validation loss'."""
        return metric_name(self.metric, self.split)
