"""The selected configuration lies inside the grid."""

from __future__ import annotations

from collections.abc import Collection
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
        name, sweeps = references.name(term), references.sweeps(term)
        edges = {seed: on_edge(run) for seed, run in sweeps.items()}
        shown = tuple(f"{name} {named_rates(run.configuration)}{_where(edges[seed])}" for seed, run in sweeps.items())
        values = {seed: float(not found) for seed, found in edges.items()}
        return Condition(f"inside the grid, {name}", values, "at_least", 1, shown, frozenset(values))

    def expectation(self, references: References) -> str:
        return "no selected value lies on the edge of the grid"


def _where(edges: Collection[str]) -> str:
    """', client rate on the edge'."""
    return f", {listed(map(hyperparameter_name, edges))} on the edge" if edges else ""
