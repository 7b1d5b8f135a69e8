"""What a check of a claim can end with."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """In the order in which pages list them."""

    REPRODUCED = "reproduced"
    BETTER = "better than the paper"
    FAILED = "not reproduced"
    INCONCLUSIVE = "inconclusive"
    NOT_RUN = "not run at this scale"

    @property
    def css(self) -> str:
        """Its class in the pages' style."""
        return "notrun" if self is Status.NOT_RUN else self.name.lower()

    @property
    def sign(self) -> str:
        """What stands for it where there is no room for words, and for those who see no colours."""
        return _SIGNS[self]

    @property
    def meaning(self) -> str:
        """A sentence for readers."""
        return _MEANINGS[self]


_SIGNS = {
    Status.REPRODUCED: "✓",
    Status.BETTER: "▲",
    Status.FAILED: "✗",
    Status.INCONCLUSIVE: "≈",
    Status.NOT_RUN: "○",
}
_MEANINGS = {
    Status.REPRODUCED: "We measured what the paper says, on every seed and for the whole interval over seeds.",
    Status.BETTER: "The paper gives a number, and ours is better by more than the margin. That is a deviation too.",
    Status.FAILED: "We measured something else.",
    Status.INCONCLUSIVE: "The seeds fall on both sides of the threshold, or the measurement cannot decide.",
    Status.NOT_RUN: "It needs the paper's scale, or an experiment that was not run. Numbers shown decide nothing.",
}
