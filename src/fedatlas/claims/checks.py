"""Each kind of check, turned into an expectation in words and the conditions that decide it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fedatlas.claims import schema
from fedatlas.claims.conditions import SYMBOL, Condition
from fedatlas.claims.evidence import Evidence
from fedatlas.claims.words import number


class Terms:
    """What the algorithms of a claim are called and what was measured of them."""

    def __init__(self, claim: schema.Claim, evidence: Evidence):
        self.claim, self.evidence = claim, evidence

    def split(self, term: str) -> tuple[str, str]:
        """(experiment key, algorithm) of a term."""
        experiment, _, algorithm = term.rpartition("/")
        return f"{self.claim.paper}/{experiment or self.claim.experiment}", algorithm

    def runs(self, term: str) -> Mapping[int, Any]:
        return self.evidence.of(*self.split(term))

    def name(self, term: str) -> str:
        """The algorithm's display name, with its experiment's figure where that is another one."""
        key, algorithm = self.split(term)
        name = next(iter(self.runs(term).values())).manifest["algorithm"]["name"]
        other = key != f"{self.claim.paper}/{self.claim.experiment}"
        return f"{name} in {self.evidence.experiments[key].figure}" if other else name

    def measure(self, term: str, quantity) -> dict[int, float]:
        return {seed: quantity.measure(run) for seed, run in self.runs(term).items()}


def experiments_of(claim: schema.Claim) -> set[str]:
    """The keys of all experiments that a claim needs."""
    check = claim.check
    terms: Iterator[str] = iter(())
    if isinstance(check, schema.Ordering):
        terms = itertools.chain.from_iterable(check.order)
    elif isinstance(check, schema.Gap):
        terms = iter(check.between)
    others = {f"{claim.paper}/{term.rpartition('/')[0]}" for term in terms if "/" in term}
    return others | {f"{claim.paper}/{claim.experiment}"}


def seeds_shown(values: Mapping[int, float], format: Callable[[float], str]) -> str:
    """Every seed's number: '0.91' for one seed, '0.91, 0.93, 0.92' for several."""
    return ", ".join(format(value) for value in values.values())


def _bounds(check, terms: Terms) -> tuple[str, list[Condition]]:
    conditions = []
    for term in check.algorithms:
        values = terms.measure(term, check)
        shown = f"{terms.name(term)}: {seeds_shown(values, check.format)}"
        label = f"{check.describe()}, {terms.name(term)}"
        if check.expect is None:
            conditions.append(Condition(label, values, *check.bound, shown))
        else:
            conditions.append(Condition(label, values, "at_least", check.expect - check.margin, shown))
            conditions.append(Condition(label, values, "at_most", check.expect + check.margin, shown))
    if check.expect is None:
        wanted = f"{SYMBOL[check.bound[0]]} {number(check.bound[1])}"
    else:
        wanted = f"{number(check.expect)} ± {number(check.margin)}"
    return f"{check.describe()} {wanted}", conditions


def _ordering(check: schema.Ordering, terms: Terms) -> tuple[str, list[Condition]]:
    margin = check.margin if check.relation == "ahead" else -check.margin
    sense = "above" if check.relation == "ahead" else "at_least"
    conditions = [
        Condition(
            f"{terms.name(first)} before {terms.name(second)}: difference in {check.quantity.describe()}",
            _lead(terms.measure(first, check.quantity), terms.measure(second, check.quantity), check.best),
            sense,
            margin,
            _versus(check.quantity, terms, first, second),
        )
        for first, second in _pairs(check)
    ]
    names = " before ".join(" and ".join(_named(terms, check, group)) for group in check.order)
    slack = f", by more than {number(check.margin)}" if check.relation == "ahead" and check.margin else ""
    slack = f", ties within {number(check.margin)} allowed" if check.relation == "not_behind" else slack
    return f"{check.quantity.describe()}, {check.best} first: {names}{slack}", conditions


def _pairs(check: schema.Ordering) -> list[tuple[str, str]]:
    """All pairs (a term, a term of the next group); with `each`, one pair per algorithm."""
    pairs = [pair for groups in itertools.pairwise(check.order) for pair in itertools.product(*groups)]
    if not check.each:
        return pairs
    return [(a.replace("*", each), b.replace("*", each)) for each in check.each for a, b in pairs]


def _named(terms: Terms, check: schema.Ordering, group: tuple[str, ...]) -> list[str]:
    if not check.each:
        return [terms.name(term) for term in group]
    return [terms.evidence.experiments[terms.split(term)[0]].figure for term in group]


def _lead(first: Mapping[int, float], second: Mapping[int, float], best: str) -> dict[int, float]:
    """By how much `first` is better, on the seeds that both have; a diverged side is infinitely worse."""
    sign = 1.0 if best == "highest" else -1.0
    return {seed: _difference(sign * first[seed], sign * second[seed]) for seed in first if seed in second}


def _difference(a: float, b: float) -> float:
    a, b = (-math.inf if math.isnan(value) else value for value in (a, b))
    return math.nan if a == b == -math.inf else a - b


def _versus(quantity, terms: Terms, first: str, second: str) -> str:
    sides = [
        f"{terms.name(term)} {seeds_shown(terms.measure(term, quantity), quantity.format)}" for term in (first, second)
    ]
    return " against ".join(sides)


def _gap(check: schema.Gap, terms: Terms) -> tuple[str, list[Condition]]:
    first, second = (terms.measure(term, check.quantity) for term in check.between)
    values = {seed: abs(first[seed] - second[seed]) for seed in first if seed in second}
    sense = "at_least" if check.at_most is None else "at_most"
    threshold = check.at_least if check.at_most is None else check.at_most
    names = " and ".join(map(terms.name, check.between))
    expected = f"difference of {names} in {check.quantity.describe()} {SYMBOL[sense]} {number(threshold)}"
    return expected, [Condition(expected, values, sense, threshold, _versus(check.quantity, terms, *check.between))]


def _rates(values: Mapping[str, float]) -> str:
    return f"({', '.join(number(value) for value in values.values())})"


def _chosen(terms: Terms, term: str) -> tuple[int, Any, dict[str, float]]:
    """(sweep seed, its run, the configuration selected there)."""
    seed, run = next((seed, run) for seed, run in terms.runs(term).items() if run.manifest["stage"] == "sweep")
    return seed, run, run.manifest["configurations"][run.manifest["selected"]["configuration"]]


def _choice(check: schema.Choice, terms: Terms) -> tuple[str, list[Condition]]:
    conditions = []
    for term in check.algorithms:
        seed, run, chosen = _chosen(terms, term)
        same = all(math.isclose(chosen[name], value) for name, value in check.expect.items())
        shown = f"{terms.name(term)}: {_rates(chosen)}{_fate(run, check.expect)}"
        conditions.append(Condition(f"selected as in the paper, {terms.name(term)}", {seed: same}, "at_least", 1, shown))
    return f"selected ({', '.join(check.expect)}) = {_rates(check.expect)}", conditions


def _fate(run, expect: Mapping[str, float]) -> str:
    """What became of the paper's configuration, if it diverged or is not in the grid."""
    grid = run.manifest["configurations"]
    place = next((i for i, c in enumerate(grid) if all(math.isclose(c[k], v) for k, v in expect.items())), None)
    if place is None:
        return f"; {_rates(expect)} is not in the grid of this scale"
    diverged = run.manifest["diverged"].get(str(place))
    return "" if diverged is None else f"; {_rates(expect)} diverged by round {diverged}"


def _inside_grid(check: schema.InsideGrid, terms: Terms) -> tuple[str, list[Condition]]:
    conditions = []
    for term in check.algorithms:
        seed, run, chosen = _chosen(terms, term)
        grid = run.manifest["configurations"]
        edges = [k for k in chosen if chosen[k] in (min(c[k] for c in grid), max(c[k] for c in grid))]
        shown = f"{terms.name(term)}: {_rates(chosen)}" + (f", {' and '.join(edges)} on the edge" if edges else "")
        label = f"selected inside the grid, {terms.name(term)}"
        conditions.append(Condition(label, {seed: float(not edges)}, "at_least", 1, shown))
    return "no selected learning rate lies on the edge of the grid", conditions


_CHECKS: dict[type, Callable[[Any, Terms], tuple[str, list[Condition]]]] = {
    schema.Value: _bounds,
    schema.RoundsTo: _bounds,
    schema.Trend: _bounds,
    schema.Ordering: _ordering,
    schema.Gap: _gap,
    schema.Choice: _choice,
    schema.InsideGrid: _inside_grid,
}


def conditions_of(claim: schema.Claim, evidence: Evidence) -> tuple[str, list[Condition]]:
    """(what is expected, in words; the conditions that decide it)."""
    return _CHECKS[type(claim.check)](claim.check, Terms(claim, evidence))
