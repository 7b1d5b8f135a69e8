"""One method loses less by a change than another one, as the paper says."""

from __future__ import annotations

import itertools
import math
from typing import Literal

from pydantic import model_validator

from fedatlas.claims.checks._base import Algorithms, Check
from fedatlas.claims.conditions import Condition
from fedatlas.claims.quantities import AnyQuantity
from fedatlas.claims.references import References, on_common_seeds
from fedatlas.experiments.sections import Best
from fedatlas.formatting import listed


class SmallerFall(Check):
    """From the first of some terms to each of the others less is lost than between the terms in the same places.

    This compares robustness, which who is ahead does not: `fall` [fedem_100, fedem_10] and `than` [fedavg_100,
    fedavg_10] says that FedEM loses less when fewer clients take part.
    """

    kind: Literal["smaller_fall"]
    quantity: AnyQuantity
    best: Best
    fall: Algorithms
    than: Algorithms

    @model_validator(mode="after")
    def _same_places(self) -> SmallerFall:
        if not len(self.fall) == len(self.than) >= 2:
            raise ValueError("'fall' and 'than' need the same number of terms, at least two")
        return self

    @property
    def terms(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.fall, *self.than)))

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [*itertools.combinations(self.terms, 2)]

    def conditions(self, references: References) -> list[Condition]:
        others = zip(self.fall[1:], self.than[1:], strict=True)
        return [self._condition((self.fall[0], a), (self.than[0], b), references) for a, b in others]

    def _condition(self, fall: tuple[str, str], than: tuple[str, str], references: References) -> Condition:
        """What is lost by `than` less what is lost by `fall`, of which a run that has diverged has lost all."""
        sides = on_common_seeds(*(references.measure(term, self.quantity) for term in (*fall, *than)))
        numbers = zip((*fall, *than), sides, strict=True)
        shown = (references.shown(term, self.quantity, side) for term, side in numbers)
        sign = 1.0 if self.best == "highest" else -1.0
        lost = frozenset(seed for side in sides[:2] for seed in side.diverged)
        values = {seed: [sign * side.values[seed] for side in sides] for seed in sides[0].values}
        more = {seed: (b_from - b_to) - (a_from - a_to) for seed, (a_from, a_to, b_from, b_to) in values.items()}
        named = [" to ".join(map(references.name, pair)) for pair in (than, fall)]
        return Condition(
            label=f"loss in {self.quantity.describe()} from {named[0]} less that from {named[1]}",
            values={seed: -math.inf if seed in lost else value for seed, value in more.items()},
            sense="above",
            threshold=0.0,
            shown=tuple(dict.fromkeys(shown)),
            independent=sides[0].independent,
            rounding=max(side.rounding for side in sides),
            sampling=math.hypot(*(side.sampling for side in sides)),
            comparable=not any(side.missing for side in sides[2:]),
            saturated=all(self.quantity.saturated(side.values.values()) for side in sides),
        )

    def expectation(self, references: References) -> str:
        named = [self._path(terms, references) for terms in (self.fall, self.than)]
        return f"{self.quantity.describe()}, what is lost: less from {named[0]} than from {named[1]}"

    def _path(self, terms: tuple[str, ...], references: References) -> str:
        first, *others = map(references.name, terms)
        return f"{first} to {listed(others)}"
