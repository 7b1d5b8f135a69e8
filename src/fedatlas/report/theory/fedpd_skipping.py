"""How much communication FedPD may skip: Theorem 1 and Table 2 of the paper, and what was measured.

To reach ||grad f||^2 <= epsilon on clients that are delta-non-i.i.d., a share p of the communications may be skipped as
long as C(p) <= epsilon / (3 delta^2) (Remark 3). With s = L eta and C3 = (p (1 + s) + s) / (1 - s),

    C(p) = eta (1 - C3^(1/(1-p)))^2 p (p^2 (3 + s)^2 + 4) / (1 - 2 s - p (1 + s))^2,

and as 1 - 2 s - p (1 + s) = (1 - s) (1 - C3), the point C3 = 1 is no exception: the quotient of the brackets is 1/(1-p)
there. Everything is in units of L = 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fedatlas.results.collection import ExperimentResults
from fedatlas.results.metric import Metric
from fedatlas.results.run import Run

ETA = (math.sqrt(5) - 1) / 8  # of Table 2, with L = 1
TURN = (1 - 2 * ETA) / (1 + ETA)  # the p at which C3 is one, between Table 2's two rows


def bound(p: np.ndarray, eta: float = ETA) -> np.ndarray:
    """C(p), for p in [0, 1)."""
    p = np.asarray(p, dtype=float)
    c3 = (p * (1 + eta) + eta) / (1 - eta)
    quotient = _quotient(c3, 1 / (1 - p)) / (1 - eta)
    return eta * quotient**2 * p * (p**2 * (3 + eta) ** 2 + 4)


def _quotient(base: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """(1 - base^exponent) / (1 - base), which tends to the exponent."""
    away = np.abs(base - 1) > 1e-9
    apart = np.where(away, 1 - base, 1.0)
    with np.errstate(over="ignore"):  # no accuracy allows to skip everything
        return np.where(away, -np.expm1(exponent * np.log(base)) / apart, exponent)


def accuracy(p: np.ndarray, eta: float = ETA) -> np.ndarray:
    """The epsilon/delta^2 at which just this share may be skipped."""
    return 3 * bound(p, eta)


def largest_skip(ratio: float, eta: float = ETA) -> float:
    """The largest p with C(p) <= ratio / 3, where ratio is epsilon/delta^2; C grows with p."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if accuracy(middle, eta) <= ratio else (low, middle)
    return low


def linear(ratio: np.ndarray, eta: float = ETA) -> np.ndarray:
    """Table 2's first row: p = ratio / (36 eta)."""
    return np.asarray(ratio, dtype=float) / (36 * eta)


def logarithmic(ratio: np.ndarray, eta: float = ETA) -> np.ndarray:
    """Table 2's second row: p = 1 - 2 / log(ratio / (42 eta))."""
    return 1 - 2 / np.log(np.asarray(ratio, dtype=float) / (42 * eta))


@dataclass(frozen=True)
class Measured:
    """What an experiment with several shares of skipped rounds says.

    Attributes:
        table: columns name, colour, skip and value (by which configurations are selected: the gap at the last round),
            one row per share, the mean over seeds; NaN where a seed diverged.
    """

    table: pd.DataFrame

    def largest(self, targets: np.ndarray) -> pd.DataFrame:
        """By target the largest share with which it is met; columns name, colour, target, skip. NaN if with none."""
        rows = [
            {"name": name, "colour": colour, "target": target, "skip": rows.loc[rows["value"] <= target, "skip"].max()}
            for (name, colour), rows in self.table.groupby(["name", "colour"], sort=False)
            for target in targets
        ]
        return pd.DataFrame(rows)


def measured(results: ExperimentResults, metric: Metric) -> Measured | None:
    """The score of every configuration that has a `skip`, the mean over seeds; None if there is none."""
    runs, rows = results.federated.holding(metric), []
    for algorithm, by_seed in runs.runs.items():
        look = {"name": runs.names[algorithm], "colour": runs.colours[algorithm]}
        for run in by_seed.values():
            rows += [{**look, **row} for row in _scored(run)]
    if not rows:
        return None
    table = pd.DataFrame(rows).groupby(["name", "colour", "skip"], sort=False)["value"]
    return Measured(table.agg(lambda values: values.mean(skipna=False)).reset_index())


def _scored(run: Run) -> list[dict[str, float]]:
    scores = run.scores.items() if run.is_sweep else ()
    return [{"skip": run.grid[i]["skip"], "value": value} for i, value in scores if "skip" in run.grid[i]]
