"""The sweep selects the configuration that the paper reports."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field

from fedatlas.claims.checks._base import Algorithms, Check
from fedatlas.claims.conditions import Condition
from fedatlas.claims.references import References
from fedatlas.config import Number
from fedatlas.formatting import named_rates
from fedatlas.results.run import Run


class Choice(Check):
    """Each of some algorithms selects these hyper-parameters."""

    kind: Literal["choice"]
    algorithms: Algorithms
    expect: Annotated[dict[str, Number], Field(min_length=1)]

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
        values = {seed: float(self._is_met(run)) for seed, run in sweeps.items()}
        shown = tuple(f"{name} {named_rates(run.configuration)}{self._fate(run)}" for run in sweeps.values())
        return Condition(f"as in the paper, {name}", values, "at_least", 1, shown, frozenset(values))

    def _is_met(self, run: Run) -> bool:
        return all(math.isclose(run.configuration[name], value) for name, value in self.expect.items())

    def _fate(self, run: Run) -> str:
        """What became of the paper's configuration, if it diverged or is not in the grid."""
        expected = self.expect.items()
        place = next((i for i, c in enumerate(run.grid) if all(math.isclose(c[k], v) for k, v in expected)), None)
        if place is None:
            return f", while {named_rates(self.expect)} is not in the grid of this scale"
        diverged = run.manifest.diverged.get(place)
        return "" if diverged is None else f", while {named_rates(self.expect)} had diverged by round {diverged}"

    def expectation(self, references: References) -> str:
        return f"the sweep selects {named_rates(self.expect)}"
