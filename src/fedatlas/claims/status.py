"""What a check of a claim can end with."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """In the order in which pages list them."""

    REPRODUCED = "reproduced"
    BETTER = "better than the paper"
    FAILED = "not reproduced"
    NO_DIFFERENCE = "no difference"
    INDICATED = "indicated"
    INDICATED_AGAINST = "indicated against"
    INCONCLUSIVE = "inconclusive"
    NOT_COMPARABLE = "not comparable"
    NOT_DECIDABLE = "not decidable on this data"
    BY_CONSTRUCTION = "holds by construction"
    NOT_RUN = "not run at this scale"

    @property
    def css(self) -> str:
        """Its class in the pages' style."""
        return "notrun" if self is Status.NOT_RUN else self.name.lower().replace("_", "-")

    @property
    def sign(self) -> str:
        """What stands for it where there is no room for words, and for those who see no colours."""
        return _SIGNS[self]

    @property
    def meaning(self) -> str:
        """A sentence for readers."""
        return _MEANINGS[self]

    @property
    def decided(self) -> bool:
        """Whether it answers the claim, so that enough independent seeds must stand behind it."""
        return self in (Status.REPRODUCED, Status.BETTER, Status.FAILED, Status.NO_DIFFERENCE)


_SIGNS = {
    Status.REPRODUCED: "✓",
    Status.BETTER: "▲",
    Status.FAILED: "✗",
    Status.NO_DIFFERENCE: "=",
    Status.INDICATED: "(✓)",
    Status.INDICATED_AGAINST: "(✗)",
    Status.INCONCLUSIVE: "≈",
    Status.NOT_COMPARABLE: "∅",
    Status.NOT_DECIDABLE: "?",
    Status.BY_CONSTRUCTION: "⊢",
    Status.NOT_RUN: "○",
}
_MEANINGS = {
    Status.REPRODUCED: "Three or more independent seeds (five where the paper averages over five) and their interval "
    "agree with the paper; from ten on, the interval alone does.",
    Status.BETTER: "The paper gives a number, and ours is better by more than the margin. That is a deviation too.",
    Status.FAILED: "As many independent seeds as a verdict needs say something else.",
    Status.NO_DIFFERENCE: "The methods differ by no more than rounding, or than the claim counts as a difference.",
    Status.INDICATED: "We measured what the paper says, on fewer independent seeds than a verdict needs.",
    Status.INDICATED_AGAINST: "We measured something else, on fewer independent seeds than a verdict needs.",
    Status.INCONCLUSIVE: "Seeds or their interval lie on both sides of the threshold, or no method reached the target.",
    Status.NOT_COMPARABLE: "A method has no number, as it has diverged, so nothing was beaten.",
    Status.NOT_DECIDABLE: "The data cannot show it: other data than the claim needs, or all methods solve it.",
    Status.BY_CONSTRUCTION: "An identity or a proved bound: it can hardly fail, so it is shown but not counted.",
    Status.NOT_RUN: "It needs the paper's scale, or an experiment that was not run. Numbers shown decide nothing.",
}
