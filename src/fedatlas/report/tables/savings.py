"""FedPD's Table 2 held against its own Theorem 1."""

from __future__ import annotations

from fedatlas.formatting import number
from fedatlas.report.tables._base import Cell, ColumnsBeside
from fedatlas.report.theory.fedpd_skipping import ETA, bound

SHARES = ((0.1, 0.3, 0.5), (0.7, 0.8, 0.9))  # of skipped communications, in the two ranges of the table


class Savings(ColumnsBeside):
    """Theorem 1 at some shares of both ranges."""

    def heads(self) -> list[str]:
        return ["C(p) by Theorem 1"]

    def ours(self, cell: Cell, place: int) -> list[list[str]]:
        return [["; ".join(f"{number(float(bound(p)) / ETA)} η at p = {number(p)}" for p in SHARES[place])]]
