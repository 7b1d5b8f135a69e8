"""How large experiments are run."""

from __future__ import annotations

from enum import StrEnum


class Scale(StrEnum):
    """From the smallest to the papers' own."""

    QUICK = "quick"
    MEDIUM = "medium"
    PAPER = "paper"

    @property
    def size(self) -> int:
        """The greater, the larger."""
        return SCALES.index(self)


SCALES = tuple(Scale)
