"""Two terms differ by as much, or as little, as the paper says."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from fedatlas.claims.checks._base import Check
from fedatlas.claims.conditions import Condition
from fedatlas.claims.quantities import AnyQuantity
from fedatlas.claims.references import References, paired
from fedatlas.formatting import listed, number


class Gap(Check):
    """The absolute difference of two terms is at least or at most a number, seed by seed."""

    kind: Literal["gap"]
    quantity: AnyQuantity
    between: tuple[str, str]
    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _one_bound(self) -> Gap:
        if (self.at_least is None) == (self.at_most is None):
            raise ValueError("give exactly one of 'at_least' and 'at_most'")
        return self

    @property
    def terms(self) -> tuple[str, ...]:
        return self.between

    def conditions(self, references: References) -> list[Condition]:
        first, second = (references.measure(term, self.quantity) for term in self.between)
        return [
            Condition(
                label=f"difference in {self.quantity.describe()}",
                values=paired(first, second, lambda a, b: abs(a - b)),
                sense="at_most" if self.at_least is None else "at_least",
                threshold=self.at_most if self.at_least is None else self.at_least,
                shown=tuple(references.shown(term, self.quantity) for term in self.between),
                independent=first.independent & second.independent,
                rounding=max(first.rounding, second.rounding),
                positive=True,
                comparable=not (first.missing or second.missing),
            )
        ]

    def expectation(self, references: References) -> str:
        sense, threshold = ("at most", self.at_most) if self.at_least is None else ("at least", self.at_least)
        names = listed(references.name(term) for term in self.between)
        return f"difference of {names} in {self.quantity.describe()}: {sense} {number(threshold)}"
