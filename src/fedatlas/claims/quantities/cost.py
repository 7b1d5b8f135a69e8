"""What a run has cost up to a round."""

from __future__ import annotations

from typing import ClassVar, Literal

from fedatlas.claims.quantities._base import Quantity, Read, Round, entry, round_name
from fedatlas.formatting import metric_name
from fedatlas.results.run import Run


class Cost(Quantity):
    """The total of a cost, such as communications or gradient evaluations, up to a round."""

    positive: ClassVar[bool] = True

    kind: Literal["cost"]
    of: str
    at: Round | Literal["last"]

    @property
    def reads(self) -> tuple[Read, ...]:
        return (Read("cost", self.of, "of"),)

    def measure(self, run: Run) -> float:
        return float(entry(run.values(self.of, "cost"), self.at, run))

    def describe(self) -> str:
        return f"{metric_name(self.of, 'cost')} up to {round_name(self.at)}"
