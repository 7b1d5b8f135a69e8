"""What every kind of check can do: what it needs, the conditions that decide it, and what it expects in words."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, ClassVar, get_args

from pydantic import Field

from fedatlas.claims.conditions import Condition, Sense
from fedatlas.claims.references import References
from fedatlas.config import ONCE, REAL, Strict
from fedatlas.formatting import number

Algorithms = Annotated[tuple[str, ...], Field(min_length=1), ONCE]
Tolerance = Annotated[float, Field(ge=0), REAL]
SENSES: tuple[Sense, ...] = get_args(Sense)


class Check(Strict):
    """One kind of check. Its `kind` is the name of its file.

    Class attributes:
        can_fail: whether conditions that are not met refute the claim; if not, nothing follows from them.
    """

    can_fail: ClassVar[bool] = True

    @property
    def about_settings(self) -> bool:
        """Whether it is about selected hyper-parameters, not about what comes of them; such claims count apart."""
        quantity = getattr(self, "quantity", None)
        return quantity is not None and quantity.about_settings

    @property
    def numbers(self) -> str:
        """What the numbers that it compares are, in words; empty where they speak for themselves."""
        quantity = getattr(self, "quantity", None)
        return "" if quantity is None else quantity.describe()

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms that it compares, of which some may be of other experiments of the paper."""
        return ()

    @property
    def involved(self) -> tuple[str, ...]:
        """Every term of which a number decides it."""
        return self.terms

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every two terms whose numbers are compared with each other, seed by seed."""
        return []

    @property
    def terms_judged(self) -> tuple[str, ...]:
        """Every term that must be there, compared or not."""
        return tuple(dict.fromkeys((*self.involved, *(term for term in self.terms if "*" not in term))))

    @property
    def better_beyond(self) -> Sense | None:
        """The sense of the bound that guards the worse side, if being beyond the other one is better."""
        return None

    @abstractmethod
    def conditions(self, references: References) -> list[Condition]:
        """The conditions that decide the claim; all must be met.

        Raises:
            AtlasError: if a term or a metric is unknown; RoundMissingError for a round that was not evaluated.
        """

    @abstractmethod
    def expectation(self, references: References) -> str:
        """What the claim expects, in words and numbers."""


def at_threshold(sense: Sense, threshold: float) -> str:
    """'at least 0.9'."""
    return f"{sense.replace('_', ' ')} {number(threshold)}"
