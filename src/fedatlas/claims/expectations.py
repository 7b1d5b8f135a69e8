"""What each kind of check expects, in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fedatlas.claims import schema
from fedatlas.claims.terms import Terms
from fedatlas.formatting import hyperparameter_name, listed, number

_BOUND = {"at_least": "at least", "at_most": "at most", "below": "below", "above": "above"}


def _bounds(check: Any, terms: Terms) -> str:
    if check.expect is None:
        sense, threshold = check.bound
        return f"{check.describe()}: {_BOUND[sense]} {number(threshold)}"
    return f"{check.describe()}: {number(check.expect)} ± {number(check.margin)}"


def _ordering(check: schema.Ordering, terms: Terms) -> str:
    groups = [listed(_group(check, group, terms)) for group in check.order]
    text = f"{check.quantity.describe()}, {check.best} first: {', then '.join(groups)}"
    if check.each:
        text += f", for each of {listed(terms.name(each) for each in check.each)}"
    if check.relation == "not_behind":
        return f"{text}; ties within {number(check.margin)} allowed"
    return f"{text}; apart by more than {number(check.margin)}" if check.margin else text


def _group(check: schema.Ordering, group: tuple[str, ...], terms: Terms) -> list[str]:
    return [terms.place(term) if check.each else terms.name(term) for term in group]


def _gap(check: schema.Gap, terms: Terms) -> str:
    sense, threshold = ("at most", check.at_most) if check.at_least is None else ("at least", check.at_least)
    names = listed(terms.name(term) for term in check.between)
    return f"difference of {names} in {check.quantity.describe()}: {sense} {number(threshold)}"


def _ratio(check: schema.Ratio, terms: Terms) -> str:
    bounds = listed(f"{_BOUND[sense]} {number(threshold)}" for sense, threshold in check.bounds)
    others = listed(terms.name(other) for other in check.to)
    return f"{check.quantity.describe()}, {terms.name(check.of)} divided by {others}: {bounds}"


def rates(values: dict[str, float]) -> str:
    """A configuration: '(0.001, 3)'."""
    return f"({', '.join(number(value) for value in values.values())})"


def _choice(check: schema.Choice, terms: Terms) -> str:
    return f"selected: {', '.join(map(hyperparameter_name, check.expect))} = {rates(check.expect)}"


def _inside_grid(check: schema.InsideGrid, terms: Terms) -> str:
    return "no selected value lies on the edge of the grid"


_EXPECTATIONS: dict[type, Callable[[Any, Terms], str]] = {
    schema.Value: _bounds,
    schema.Contrast: _bounds,
    schema.RoundsTo: _bounds,
    schema.Trend: _bounds,
    schema.Decades: _bounds,
    schema.Rate: _bounds,
    schema.OverGrid: _bounds,
    schema.Spread: _bounds,
    schema.Ordering: _ordering,
    schema.Gap: _gap,
    schema.Ratio: _ratio,
    schema.Choice: _choice,
    schema.InsideGrid: _inside_grid,
}


def expectation(terms: Terms) -> str:
    """What the claim expects, in words and numbers."""
    return _EXPECTATIONS[type(terms.claim.check)](terms.claim.check, terms)
