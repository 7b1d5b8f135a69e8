"""The selected configuration lies inside the grid."""

from __future__ import annotations

from typing import ClassVar, Literal

from fedatlas.claims.checks._base import Algorithms, Check
from fedatlas.claims.conditions import Condition
from fedatlas.claims.references import References, on_edge
from fedatlas.formatting import hyperparameter_name, listed, named_rates


class InsideGrid(Check):
    """No selected value lies on the edge, so that the grid holds the best one.

    On the grid's edge nothing follows either way: the claim is then inconclusive. What has one value has no edge.
    """

    can_fail: ClassVar[bool] = False
    kind: Literal["inside_grid"]
    algorithms: Algorithms

    @property
    def about_settings(self) -> bool:
        return True

    @property
    def involved(self) -> tuple[str, ...]:
        return self.algorithms

    def conditions(self, references: References) -> list[Condition]:
        return [self._condition(term, references) for term in self.algorithms]

    def _condition(self, term: str, references: References) -> Condition:
        seed, run = references.sweep(term)
        edges = on_edge(run)
        where = f", {listed(map(hyperparameter_name, edges))} on the edge" if edges else ""
        shown = f"{references.name(term)} {named_rates(run.configuration)}{where}"
        label = f"inside the grid, {references.name(term)}"
        return Condition(label, {seed: float(not edges)}, "at_least", 1, (shown,), frozenset({seed}))

    def expectation(self, references: References) -> str:
        return "no selected value lies on the edge of the grid"
