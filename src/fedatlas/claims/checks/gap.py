"""Terms are alike, as the paper says."""

from __future__ import annotations

import itertools
import math
from typing import Annotated, Literal

from pydantic import Field

from fedatlas.claims.checks._base import Check, Tolerance
from fedatlas.claims.conditions import Condition, Sense
from fedatlas.claims.quantities import AnyQuantity
from fedatlas.claims.references import References, on_common_seeds, paired
from fedatlas.config import ONCE
from fedatlas.formatting import listed, number


class Gap(Check):
    """Every two of some terms differ by at most a number, in either direction, seed by seed."""

    kind: Literal["gap"]
    quantity: AnyQuantity
    between: Annotated[tuple[str, ...], Field(min_length=2), ONCE]
    at_most: Tolerance

    @property
    def terms(self) -> tuple[str, ...]:
        return self.between

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [*itertools.combinations(self.between, 2)]

    def conditions(self, references: References) -> list[Condition]:
        bounds: tuple[tuple[Sense, float], ...] = (("at_least", -self.at_most), ("at_most", self.at_most))
        return [
            self._condition(pair, sense, threshold, references) for pair in self.pairs for sense, threshold in bounds
        ]

    def _condition(self, pair: tuple[str, str], sense: Sense, threshold: float, references: References) -> Condition:
        sides = on_common_seeds(*(references.measure(term, self.quantity) for term in pair))
        first, second = sides
        names = " less ".join(references.name(term) for term in pair)
        return Condition(
            label=f"{names} in {self.quantity.describe()}",
            values=paired(first, second, lambda a, b: a - b),
            sense=sense,
            threshold=threshold,
            shown=tuple(references.shown(term, self.quantity, side) for term, side in zip(pair, sides, strict=True)),
            independent=first.independent,
            rounding=max(first.rounding, second.rounding),
            sampling=math.hypot(first.sampling, second.sampling),
            comparable=not (first.missing or second.missing),
            saturated=all(self.quantity.saturated(side.values.values()) for side in (first, second)),
        )

    def expectation(self, references: References) -> str:
        names = listed(references.name(term) for term in self.between)
        return f"difference of {names} in {self.quantity.describe()}: at most {number(self.at_most)}"
