"""What single clients have after the last round, of runs that recorded it: accuracies and mixture weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fedatlas.results.collection import ExperimentResults
from fedatlas.results.metric import Metric
from fedatlas.results.mixture_recovery import matched
from fedatlas.results.run import Run

if TYPE_CHECKING:
    import pandas as pd
else:
    from fedatlas.lazy import pd


class Mixtures(NamedTuple):
    """Mixture weights of one algorithm's clients [clients, M]; `true` is None where nobody knows them."""

    learned: np.ndarray
    true: np.ndarray | None


def by_algorithm(results: ExperimentResults, metric: Metric) -> dict[str, pd.Series]:
    """The metric by client of every algorithm that recorded it, of the seed that has the sweep."""
    found = {name: results.sweep_run(name).clients(metric.metric, metric.split) for name in results.runs}
    return {name: values for name, values in found.items() if len(values)}


def mixtures(results: ExperimentResults) -> dict[str, Mixtures]:
    """The weights of every algorithm that mixes two or three components, in the truth's order where it is known."""
    found = {name: _mixtures(results.sweep_run(name)) for name in results.runs}
    return {name: own for name, own in found.items() if own is not None and own.learned.shape[1] in (2, 3)}


def _mixtures(run: Run) -> Mixtures | None:
    learned, true = (_columns(run, prefix) for prefix in ("weight", "true_weight"))
    if learned is None:
        return None
    return Mixtures(learned if true is None else matched(learned, true), true)


def _columns(run: Run, prefix: str) -> np.ndarray | None:
    """The values of `<prefix>_1`, `<prefix>_2`, ... of the training clients, [clients, M]."""
    columns: list[pd.Series] = []
    while len(values := run.clients(f"{prefix}_{len(columns) + 1}", "train")):
        columns.append(values)
    return np.column_stack(columns) if columns else None
