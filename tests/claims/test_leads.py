"""By how much one side leads, on the seeds that both have, and where a run has diverged or never arrives."""

from __future__ import annotations

import math

import pytest
from made_claims import claim_of, ordering

from fedatlas.claims.checks.ordering import _lead
from fedatlas.claims.conditions import Condition
from fedatlas.claims.judgement import judge
from fedatlas.claims.references import Measured, on_common_seeds, paired
from fedatlas.errors import AtlasError


@pytest.mark.parametrize(("lost", "why"), [(1, "5 of 6 seeds meet it"), (6, "none of 6 seeds meets it")])
def test_a_leader_that_diverges_has_lost_to_one_that_never_arrives(lost, why):
    first = {seed: math.nan if seed < lost else 30.0 for seed in range(6)}
    found = judge(claim_of(ordering()), [leads(first, dict.fromkeys(range(6), math.inf))])
    assert found.why == why


def test_where_some_seeds_have_no_number_it_says_on_which():
    first = {0: math.inf, 1: 30.0, 2: 30.0}
    found = judge(claim_of(ordering()), [leads(first, dict.fromkeys(range(3), math.inf))])
    assert found.why == "on 1 of 3 seeds neither side has a number: no method reached the target"


def leads(first: dict[int, float], second: dict[int, float]) -> Condition:
    """What two numbers of rounds differ by, of which the lower is the better one."""
    sides = [Measured(values, frozenset(values)) for values in (first, second)]
    values = paired(*sides, lambda a, b: _lead(a, b, "lowest"))
    return Condition("lead", values, "above", 0, (), frozenset(values))


def test_only_seeds_that_all_sides_have_are_compared():
    nan = math.nan
    one, other = (
        Measured({0: 1.0, 1: 2.0, 2: 3.0}, frozenset({1, 2})),
        Measured({1: 1.0, 2: 1.0, 9: nan}, frozenset({2, 9})),
    )
    one, other = on_common_seeds(one, other)
    assert (one.values, other.values) == ({1: 2.0, 2: 3.0}, {1: 1.0, 2: 1.0})
    assert one.independent == other.independent == {2} and not other.missing
    with pytest.raises(AtlasError, match=r"no seed in common: \[1, 2\] and \[7\]"):
        on_common_seeds(one, Measured({7: 1.0}, frozenset({7})))
