"""Terms are ahead of each other in the paper's order."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from fedatlas.claims.checks._base import Algorithms, Check, Tolerance
from fedatlas.claims.conditions import Condition
from fedatlas.claims.quantities import AnyQuantity
from fedatlas.claims.quantities.over_grid import OverGrid
from fedatlas.claims.references import Measured, References, on_common_seeds, paired
from fedatlas.config import ONCE, Names
from fedatlas.experiments.sections import Best
from fedatlas.formatting import listed, number


def _groups(order: Any) -> Any:
    if not isinstance(order, list):
        return order
    return [group if isinstance(group, list) else [group] for group in order]


class Ordering(Check):
    """Every term of a group is ahead of (or not behind) every term of the next group, seed by seed.

    With `each`, `*` in a term stands for every one of these algorithms in turn. Leads whose interval lies within
    `equal_within` are no difference.

    A lead is a difference or, with `lead: factor`, the power of ten by which one number is a multiple of the other.
    Its margins are powers of ten too. That is for what cannot be negative and has no upper end (gaps, losses, rounds):
    its differences spread over decades from seed to seed, and no symmetric interval fits them.
    """

    kind: Literal["ordering"]
    quantity: AnyQuantity
    best: Best
    order: Annotated[
        tuple[Algorithms, ...],
        ONCE,
        BeforeValidator(_groups, json_schema_input_type=list[str | list[str]]),
        Field(min_length=2),
    ]
    each: Names = ()
    relation: Literal["ahead", "not_behind"]
    lead: Literal["difference", "factor"] = "difference"
    margin: Tolerance
    equal_within: Tolerance = 0.0

    @model_validator(mode="after")
    def _check_terms(self) -> Ordering:
        if self.each and not all("*" in term for term in self.terms):
            raise ValueError("with 'each', every term of 'order' needs a '*', for which its algorithms stand")
        if isinstance(self.quantity, OverGrid) and self.quantity.best != self.best:
            raise ValueError("'best' must be that of 'quantity', for which configurations that diverge are the worst")
        return self

    @property
    def terms(self) -> tuple[str, ...]:
        return tuple(term for group in self.order for term in group)

    @property
    def involved(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(itertools.chain.from_iterable(self.pairs)))

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """All pairs (a term, a term of the next group); with `each`, one pair per algorithm."""
        pairs = [pair for groups in itertools.pairwise(self.order) for pair in itertools.product(*groups)]
        if not self.each:
            return pairs
        return [(a.replace("*", each), b.replace("*", each)) for each in self.each for a, b in pairs]

    def conditions(self, references: References) -> list[Condition]:
        measured = {term: references.measure(term, self.quantity) for term in self.involved}
        return [self._condition(first, second, measured, references) for first, second in self.pairs]

    def _condition(
        self, first: str, second: str, measured: Mapping[str, Measured], references: References
    ) -> Condition:
        ahead, sides = self.relation == "ahead", on_common_seeds(measured[first], measured[second])
        numbers = zip((first, second), sides, strict=True)
        shown = tuple(references.shown(term, self.quantity, side) for term, side in numbers)
        label = f"lead of {references.name(first)} over {references.name(second)} in {self.quantity.describe()}"
        if self.lead == "factor":
            label, sides = f"{label}, as a power of ten", (sides[0].in_powers_of_ten, sides[1].in_powers_of_ten)
        return Condition(
            label=label,
            values=paired(sides[0], sides[1], lambda a, b: _lead(a, b, self.best)),
            sense="above" if ahead else "at_least",
            threshold=self.margin if ahead else -self.margin,
            shown=shown,
            independent=sides[0].independent,
            rounding=max(side.rounding for side in sides),
            sampling=math.hypot(*(side.sampling for side in sides)),
            equal_within=self.equal_within,
            comparable=not sides[1].missing,
            saturated=all(self.quantity.saturated(measured[term].values.values()) for term in (first, second)),
        )

    def expectation(self, references: References) -> str:
        groups = [
            f"{'each of ' if len(group) > 1 else ''}{listed(self._names(group, references))}" for group in self.order
        ]
        text = f"{self.quantity.describe()}: {self.best} with {', then '.join(groups)}"
        if self.each:
            text += f", for each of {listed(references.name(each) for each in self.each)}"
        if self.relation == "not_behind":
            return f"{text}; ties {f'within {self._margin} ' if self.margin else ''}allowed"
        return f"{text}; apart by more than {self._margin}" if self.margin else text

    @property
    def _margin(self) -> str:
        return number(self.margin) if self.lead == "difference" else f"a factor of {number(10**self.margin)}"

    def _names(self, group: tuple[str, ...], references: References) -> list[str]:
        return [references.place(term) if self.each else references.name(term) for term in group]


def _lead(first: float, second: float, best: str) -> float:
    """By how much `first` is better; NaN if neither side has a number.

    A side that has diverged is infinitely worse, also than one that has not come to a target.
    """
    if math.isnan(first) or math.isnan(second):
        return math.nan if math.isnan(first) and math.isnan(second) else -math.inf if math.isnan(first) else math.inf
    a, b = (first, second) if best == "highest" else (-first, -second)
    if a == b:
        return math.nan if a == -math.inf else 0.0
    return a - b
