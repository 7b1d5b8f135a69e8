"""A penalty's strength that is given by the data: `strength: {times_max: 0.1}`.

The largest strength that matters is the smallest at which the penalised kernel stays zero. With the kernel at zero the
best intercept predicts the mean of y, so for the l1 norm it is || 1/n sum_i slope (mean(y) - y_i) x_i ||_inf over the
pooled training examples. The rule takes a share of it, rounded down to 1 or 3 times a power of ten: 0.042 gives 0.03.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from fedatlas.config import Strict, validate
from fedatlas.data.store import ClientStore
from fedatlas.errors import AtlasError

# Problems whose loss has the derivative slope * (p - y) in x'w + b, where p is the mean that it predicts.
SLOPES = {"binary_logistic": 1.0, "linear_regression": 2.0}


class Rule(Strict):
    """The strength as a share of the largest one that matters."""

    times_max: Annotated[float, Field(gt=0, lt=1)]


def is_rule(options: Mapping[str, Any]) -> bool:
    """Whether the options of a penalty leave its strength to the data."""
    return isinstance(options.get("strength"), Mapping)


def check_rule(problem: str, penalty: str, options: Mapping[str, Any]) -> None:
    """Checks the rule in the options of a penalty.

    Raises:
        AtlasError: if it is not a rule, or the problem or the penalty has no largest strength that is known.
    """
    validate(options["strength"], Rule, "'problem.penalty.strength'")
    if penalty != "l1" or problem not in SLOPES:
        raise AtlasError(
            f"'problem.penalty.strength' is {dict(options['strength'])}, which is for the penalty l1 and the problems "
            f"{', '.join(SLOPES)}, not for {penalty} on {problem}: give a number."
        )


def largest_strength(problem: str, store: ClientStore) -> float:
    """The smallest strength of the l1 norm at which the kernel stays zero on the pooled training examples."""
    count, sum_y, sum_x, sum_xy = 0, 0.0, 0.0, 0.0
    for client in range(len(store.ids("train"))):
        arrays = store.read("train", client)
        x, y = (arrays[name].astype(np.float64) for name in ("x", "y"))
        count, sum_y, sum_x, sum_xy = count + len(y), sum_y + y.sum(), sum_x + x.sum(0), sum_xy + y @ x
    return SLOPES[problem] * float(np.abs(sum_xy - sum_y / count * sum_x).max()) / count


def resolved(problem: str, options: Mapping[str, Any], store: ClientStore) -> tuple[dict[str, Any], dict[str, float]]:
    """The options of a penalty with a number for its strength, and what the number was found from.

    Raises:
        AtlasError: if the zero model is the best whatever the strength, so that there is no largest one.
    """
    if not is_rule(options):
        return dict(options), {}
    rule, largest = Rule.model_validate(options["strength"]), largest_strength(problem, store)
    if not largest:
        raise AtlasError("no input tells anything of the labels, so 'problem.penalty.strength' needs a number.")
    strength = rounded_down(rule.times_max * largest)
    return {**options, "strength": strength}, {"times_max": rule.times_max, "largest": largest}


def rounded_down(value: float) -> float:
    """The largest of ..., 0.01, 0.03, 0.1, 0.3, ... that is not above a positive value."""
    power = math.floor(math.log10(value))
    candidates = [float(f"{digit}e{exponent}") for digit, exponent in ((3, power), (1, power), (3, power - 1))]
    return next(candidate for candidate in candidates if candidate <= value)
