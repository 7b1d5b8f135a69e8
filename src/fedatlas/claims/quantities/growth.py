"""By how many powers of ten a cost grows."""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field

from fedatlas.claims.quantities._base import Quantity, Read, Round, entry, round_name
from fedatlas.formatting import metric_name
from fedatlas.results.run import Run


class Growth(Quantity):
    """By how many powers of ten the total of a cost grows from round `start` to round `end`.

    A total that grows like the k-th power of the rounds grows by k where `end` is ten times `start`.
    """

    kind: Literal["growth"]
    of: str
    start: int = Field(gt=0)
    end: Round | Literal["last"]

    @property
    def reads(self) -> tuple[Read, ...]:
        return (Read("cost", self.of, "of"),)

    def measure(self, run: Run) -> float:
        total = run.values(self.of, "cost")
        before, after = (float(entry(total, at, run)) for at in (self.start, self.end))
        return math.log10(after / before) if before > 0 else math.nan

    def describe(self) -> str:
        what = metric_name(self.of, "cost")
        return f"growth of {what} in powers of ten from round {self.start} to {round_name(self.end)}"
