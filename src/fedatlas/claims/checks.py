"""Each kind of check, turned into the conditions that decide it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fedatlas.claims import schema
from fedatlas.claims.conditions import Condition
from fedatlas.claims.expectations import rates
from fedatlas.claims.terms import Terms
from fedatlas.formatting import hyperparameter_name, listed
from fedatlas.results.run import Run


def _bounds(check: Any, terms: Terms) -> list[Condition]:
    if check.expect is None:
        bounds = [check.bound]
    else:
        bounds = [("at_least", check.expect - check.margin), ("at_most", check.expect + check.margin)]
    return [
        Condition(f"{check.describe()}, {terms.name(term)}", terms.measure(term, check), sense, threshold,
                  (terms.shown(term, check),))
        for term in check.algorithms
        for sense, threshold in bounds
    ]  # fmt: skip


def _ordering(check: schema.Ordering, terms: Terms) -> list[Condition]:
    ahead = check.relation == "ahead"
    return [
        Condition(
            f"lead of {terms.name(first)} over {terms.name(second)} in {check.quantity.describe()}",
            _lead(terms.measure(first, check.quantity), terms.measure(second, check.quantity), check.best),
            "above" if ahead else "at_least",
            check.margin if ahead else -check.margin,
            (terms.shown(first, check.quantity), terms.shown(second, check.quantity)),
        )
        for first, second in _pairs(check)
    ]


def _pairs(check: schema.Ordering) -> list[tuple[str, str]]:
    """All pairs (a term, a term of the next group); with `each`, one pair per algorithm."""
    pairs = [pair for groups in itertools.pairwise(check.order) for pair in itertools.product(*groups)]
    if not check.each:
        return pairs
    return [(a.replace("*", each), b.replace("*", each)) for each in check.each for a, b in pairs]


def _lead(first: Mapping[int, float], second: Mapping[int, float], best: str) -> dict[int, float]:
    """By how much `first` is better, on the seeds that both have; a diverged side is infinitely worse."""
    sign = 1.0 if best == "highest" else -1.0
    return {seed: _difference(sign * first[seed], sign * second[seed]) for seed in first if seed in second}


def _difference(a: float, b: float) -> float:
    a, b = (-math.inf if math.isnan(value) else value for value in (a, b))
    return math.nan if a == b == -math.inf else a - b


def _gap(check: schema.Gap, terms: Terms) -> list[Condition]:
    first, second = (terms.measure(term, check.quantity) for term in check.between)
    values = {seed: abs(first[seed] - second[seed]) for seed in first if seed in second}
    sense, threshold = ("at_most", check.at_most) if check.at_least is None else ("at_least", check.at_least)
    shown = tuple(terms.shown(term, check.quantity) for term in check.between)
    return [Condition(f"difference in {check.quantity.describe()}", values, sense, threshold, shown)]


def _ratio(check: schema.Ratio, terms: Terms) -> list[Condition]:
    return [
        Condition(
            f"{check.quantity.describe()}, {terms.name(check.of)} divided by {terms.name(other)}",
            _quotients(terms.measure(check.of, check.quantity), terms.measure(other, check.quantity)),
            sense,
            threshold,
            (terms.shown(check.of, check.quantity), terms.shown(other, check.quantity)),
        )
        for other in check.to
        for sense, threshold in check.bounds
    ]


def _quotients(first: Mapping[int, float], second: Mapping[int, float]) -> dict[int, float]:
    """first / second on the seeds that both have; NaN where it is not defined (0 / 0, inf / inf)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return {seed: float(np.float64(first[seed]) / second[seed]) for seed in first if seed in second}


def _chosen(terms: Terms, term: str) -> tuple[int, Run, dict[str, float]]:
    """(sweep seed, its run, the configuration selected there)."""
    seed, run = next((seed, run) for seed, run in terms.runs(term).items() if run.is_sweep)
    return seed, run, run.configuration


def _choice(check: schema.Choice, terms: Terms) -> list[Condition]:
    conditions = []
    for term in check.algorithms:
        seed, run, chosen = _chosen(terms, term)
        same = float(all(math.isclose(chosen[name], value) for name, value in check.expect.items()))
        shown = f"{terms.name(term)} {rates(chosen)}{_fate(run, check.expect)}"
        conditions.append(Condition(f"as in the paper, {terms.name(term)}", {seed: same}, "at_least", 1, (shown,)))
    return conditions


def _fate(run: Run, expect: dict[str, float]) -> str:
    """What became of the paper's configuration, if it diverged or is not in the grid."""
    place = next((i for i, c in enumerate(run.grid) if all(math.isclose(c[k], v) for k, v in expect.items())), None)
    if place is None:
        return f", while {rates(expect)} is not in the grid of this scale"
    diverged = run.manifest.diverged.get(place)
    return "" if diverged is None else f", while {rates(expect)} had diverged by round {diverged}"


def _inside_grid(check: schema.InsideGrid, terms: Terms) -> list[Condition]:
    conditions = []
    for term in check.algorithms:
        seed, run, chosen = _chosen(terms, term)
        values = {name: sorted({c[name] for c in run.grid}) for name in chosen}
        edges = [k for k, tried in values.items() if len(tried) > 1 and chosen[k] in (tried[0], tried[-1])]
        on_edge = f", {listed(map(hyperparameter_name, edges))} on the edge" if edges else ""
        shown = f"{terms.name(term)} {rates(chosen)}{on_edge}"
        conditions.append(
            Condition(f"inside the grid, {terms.name(term)}", {seed: float(not edges)}, "at_least", 1, (shown,))
        )
    return conditions


_CHECKS: dict[type, Callable[[Any, Terms], list[Condition]]] = {
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


def conditions_of(terms: Terms) -> list[Condition]:
    """The conditions that decide the claim; all must be met.

    Raises:
        AtlasError: if the claim names an unknown algorithm or metric; RoundMissingError for a round not evaluated.
    """
    return _CHECKS[type(terms.claim.check)](terms.claim.check, terms)
