"""What `fa.compare` may be asked for besides algorithms, problem and clients, checked one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field

from fedatlas.config import ONCE, Strict, Whole


def _number_or(word: str) -> Callable[[Any], int | str]:
    def check(given: Any) -> int | str:
        if given == word:
            return word
        if isinstance(given, int | np.integer) and given is not True and given > 0:
            return int(given)
        raise ValueError(f"{given!r} is neither a number above 0 nor '{word}'")

    return check


def _plain(given: Any) -> Any:
    """NumPy's whole numbers are whole numbers."""
    return int(given) if isinstance(given, np.integer) else given


Positive = Annotated[int, BeforeValidator(_plain), Field(strict=True, gt=0)]


def _several(given: Any) -> Any:
    """Seeds may come in anything that can be gone through, such as a range."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(f"{given!r} is no list of seeds")
    return tuple(map(_plain, given))


def _rule(given: Any) -> Any:
    if isinstance(given, list | tuple) and len(given) == 3 and all(isinstance(part, str) for part in given):
        return tuple(given)
    raise ValueError(f"{given!r} is no rule such as ('validation', 'accuracy', 'highest')")


class Arguments(Strict):
    """See `fa.compare`."""

    rounds: Positive = 100
    cohort: Annotated[int | str, BeforeValidator(_number_or("all"))] = "all"
    batch_size: Annotated[int | str, BeforeValidator(_number_or("full"))] = 20
    local_epochs: Positive | None = None
    local_steps: Positive | None = None
    weighting: Literal["examples", "uniform"] = "examples"
    seeds: Annotated[tuple[Whole, ...], BeforeValidator(_several), Field(min_length=1), ONCE] = (0,)
    select: Annotated[tuple[str, str, Literal["lowest", "highest"]], BeforeValidator(_rule)] | None = None
    every: Positive | None = None
    local: dict[str, Any] | None = None
    graph: dict[str, Any] | None = None
    precision: Literal["float32", "float64"] = "float32"
    title: str = "A study"
    threads: Positive = 1
