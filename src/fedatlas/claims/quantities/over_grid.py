"""The median over the configurations of a sweep."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from pydantic import model_validator

from fedatlas.claims.quantities._base import OfSweep, Round, entry, round_name
from fedatlas.config import Number
from fedatlas.experiments.sections import Best
from fedatlas.formatting import number
from fedatlas.results.run import Run

ROUNDING = 1e-9  # of a product, as a share of it


class OverGrid(OfSweep):
    """The median of the metric at a round over the configurations of the sweep, selected or not.

    A configuration that has diverged counts as infinitely bad, as it would be useless to whoever chose it.

    Attributes:
        best: which end of the metric is better.
        product: (least, greatest) product of the hyper-parameters of the configurations that count; all if not given.
    """

    kind: Literal["over_grid"]
    at: Round | Literal["last"]
    best: Best
    product: tuple[Number, Number] | None = None

    @model_validator(mode="after")
    def _ascending(self) -> OverGrid:
        if self.product and not self.product[0] <= self.product[1]:
            raise ValueError(f"'product' is {list(self.product)}, but must be the least and the greatest product")
        return self

    def measure(self, run: Run) -> float:
        table = run.curves(self.metric, self.split).pivot(index="round", columns="configuration", values="value")
        self.check_all_held(table.columns, run)
        values = entry(table, self.at, run)
        self.check_all_held({*values.dropna().index, *run.manifest.diverged}, run)  # at this round too
        values = values[[self._counts(c) for c in run.grid]]
        worst = -math.inf if self.best == "highest" else math.inf
        return float(values.fillna(worst).median()) if len(values) else math.nan

    def _counts(self, configuration: Mapping[str, float]) -> bool:
        return self.product is None or within(math.prod(configuration.values()), self.product)

    def describe(self) -> str:
        which = "all configurations"
        if self.product:
            which += f" whose rates multiply to {number(self.product[0])} to {number(self.product[1])}"
        return f"median of {self.name} at {round_name(self.at)} over {which}"

    def format(self, value: float) -> str:
        return number(value) if math.isfinite(value) else "diverged"


def within(product: float, bounds: tuple[float, float]) -> bool:
    """Whether a product of rates lies between the least and the greatest, but for rounding: 0.3 * 0.01 is not 0.003."""
    least, greatest = bounds
    return least * (1 - ROUNDING) <= product <= greatest * (1 + ROUNDING)
