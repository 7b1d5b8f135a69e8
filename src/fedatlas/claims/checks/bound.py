"""One number lies where the paper says."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from fedatlas.claims.checks._base import SENSES, Algorithms, Check, Tolerance, at_threshold
from fedatlas.claims.conditions import Condition, Sense
from fedatlas.claims.quantities import AnyQuantity
from fedatlas.claims.references import Measured, References
from fedatlas.config import Number
from fedatlas.experiments.sections import Best
from fedatlas.formatting import number


class Bound(Check):
    """A value within a margin, or one bound, for each of some algorithms.

    With `better`, a number beyond the margin on that side is better than the paper; without it, it is a miss. Files
    write it flat: the quantity's keys and `kind` beside the bound's own.
    """

    kind: Literal["bound"]
    quantity: AnyQuantity
    algorithms: Algorithms
    expect: Number | None = None
    margin: Tolerance | None = None
    better: Best | None = None
    at_least: Number | None = None
    at_most: Number | None = None
    below: Number | None = None
    above: Number | None = None

    @model_validator(mode="after")
    def _one_bound(self) -> Bound:
        given = [name for name in ("expect", *SENSES) if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"give exactly one of 'expect', {', '.join(map(repr, SENSES))}, not {given or 'none'}")
        if (self.expect is None) != (self.margin is None):
            raise ValueError("'expect' and 'margin' go together")
        if self.better and self.expect is None:
            raise ValueError("'better' needs 'expect'")
        return self

    @property
    def bounds(self) -> list[tuple[Sense, float]]:
        """(sense, threshold) of each condition."""
        if self.expect is not None and self.margin is not None:
            return [("at_least", self.expect - self.margin), ("at_most", self.expect + self.margin)]
        return [(name, getattr(self, name)) for name in SENSES if getattr(self, name) is not None]

    @property
    def involved(self) -> tuple[str, ...]:
        return self.algorithms

    @property
    def better_beyond(self) -> Sense | None:
        if self.better is None:
            return None
        return "at_least" if self.better == "highest" else "at_most"

    def conditions(self, references: References) -> list[Condition]:
        measured = {term: references.measure(term, self.quantity) for term in self.algorithms}
        return [
            Condition(
                label=f"{self.quantity.describe()}, {references.name(term)}",
                values=number.values,
                sense=sense,
                threshold=threshold,
                shown=(references.shown(term, self.quantity, measured[term]),),
                independent=number.independent,
                rounding=number.rounding,
                sampling=number.sampling,
                positive=self.quantity.positive,
                comparable=not number.missing,
            )
            for term, number in ((term, self._known(found)) for term, found in measured.items())
            for sense, threshold in self.bounds
        ]

    def _known(self, found: Measured) -> Measured:
        """A term's number; that of a run that has diverged is known if the quantity says so and there is one bound."""
        return found if len(self.bounds) > 1 else found.with_diverged(self.quantity.of_diverged)

    def expectation(self, references: References) -> str:
        if self.expect is not None and self.margin is not None:
            return f"{self.quantity.describe()}: {number(self.expect)} ± {number(self.margin)}"
        ((sense, threshold),) = self.bounds
        return f"{self.quantity.describe()}: {at_threshold(sense, threshold)}"
