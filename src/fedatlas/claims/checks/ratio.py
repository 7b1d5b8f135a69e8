"""One term's number is a multiple of others', as the paper says."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from pydantic import model_validator

from fedatlas.claims.checks._base import Algorithms, Check, at_threshold
from fedatlas.claims.conditions import Condition, Sense
from fedatlas.claims.quantities import AnyQuantity
from fedatlas.claims.references import Measured, References, on_common_seeds, paired
from fedatlas.config import Number
from fedatlas.formatting import listed
from fedatlas.results.metric import ROUNDING


class Ratio(Check):
    """One term's number divided by that of each of some others is at least, at most or between two numbers, by seed."""

    kind: Literal["ratio"]
    quantity: AnyQuantity
    of: str
    to: Algorithms
    at_least: Number | None = None
    at_most: Number | None = None

    @model_validator(mode="after")
    def _a_bound(self) -> Ratio:
        if not self.bounds:
            raise ValueError("give 'at_least', 'at_most' or both")
        return self

    @property
    def bounds(self) -> list[tuple[Sense, float]]:
        """(sense, threshold) of each bound."""
        return [(name, getattr(self, name)) for name in ("at_least", "at_most") if getattr(self, name) is not None]

    @property
    def terms(self) -> tuple[str, ...]:
        return (self.of, *self.to)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [(self.of, other) for other in self.to]

    def conditions(self, references: References) -> list[Condition]:
        first = references.measure(self.of, self.quantity)
        others = {other: references.measure(other, self.quantity) for other in self.to}
        return [
            self._condition(first, other, second, *bound, references)
            for other, second in others.items()
            for bound in self.bounds
        ]

    def _condition(
        self, first: Measured, other: str, second: Measured, sense: Sense, threshold: float, references: References
    ) -> Condition:
        first, second = on_common_seeds(first, second)
        quotients = paired(first, second, _quotient)
        relative = math.hypot(first.relative_sampling, second.relative_sampling)
        finite = [quotient for quotient in quotients.values() if math.isfinite(quotient)]
        return Condition(
            label=f"{self.quantity.describe()}, {references.name(self.of)} divided by {references.name(other)}",
            values=quotients,
            sense=sense,
            threshold=threshold,
            shown=(references.shown(self.of, self.quantity, first), references.shown(other, self.quantity, second)),
            independent=first.independent,
            rounding=ROUNDING * threshold,
            sampling=relative * float(np.mean(finite)) if relative and finite else 0.0,
            positive=True,
            comparable=not (first.missing or second.missing),
        )

    def expectation(self, references: References) -> str:
        bounds = listed(at_threshold(sense, threshold) for sense, threshold in self.bounds)
        others = listed(references.name(other) for other in self.to)
        return f"{self.quantity.describe()}, {references.name(self.of)} divided by {others}: {bounds}"


def _quotient(first: float, second: float) -> float:
    """NaN where it is not defined (0 / 0, inf / inf)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.float64(first) / second)
