"""Kinds of values that files hold."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from fedatlas.names import shown

Values = TypeVar("Values", bound=tuple[Any, ...])


def _no_flag(value: Any) -> Any:
    """The value, unless it is true or false, which Python takes for the numbers 1 and 0."""
    if isinstance(value, bool):
        raise PydanticCustomError("float_type", "a flag is no number")
    return value


def once(values: Values) -> Values:
    """The values, of which none may be there twice."""
    twice = next((value for place, value in enumerate(values) if value in values[:place]), None)
    if twice is not None:
        raise ValueError(f"{shown(twice)} is listed twice: keep one")
    return values


REAL, ONCE = BeforeValidator(_no_flag), AfterValidator(once)
MOST = 2**31  # tables and TensorFlow count in 32 bits
Number = Annotated[float, REAL]
Whole = Annotated[int, Field(strict=True, ge=0, lt=MOST)]
Count = Annotated[int, Field(strict=True, gt=0, lt=MOST)]
Names = Annotated[tuple[str, ...], ONCE]
Address = Annotated[str, Field(pattern="^https?://")]
