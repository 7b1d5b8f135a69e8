"""Where data comes from, which decides what a result on it can say."""

from __future__ import annotations

from enum import StrEnum


class DataKind(StrEnum):
    """Kind of the examples of a client store, from what says least about a paper's data to what says most."""

    STAND_IN = "stand-in"  # simulated, in the form of real data that was not available
    SYNTHETIC = "synthetic as in the paper"
    REAL = "real"

    @property
    def strength(self) -> int:
        """The greater, the more a result says."""
        return list(DataKind).index(self)
