"""The statistics behind a verdict."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
from made_claims import LAST, claim_of, ordering

from fedatlas.claims.conditions import MANY, Condition, interval
from fedatlas.claims.judgement import judge


def condition(values, sense="at_least", threshold=0.5):
    return Condition("what", dict(enumerate(values)), sense, threshold, ("shown",))


def test_interval_is_students():
    low, high, n = interval({0: 1.0, 1: 2.0, 2: 3.0})
    half = 4.302652729911275 / math.sqrt(3)  # t(0.975, 2 degrees of freedom) times the standard error 1/sqrt(3)
    assert (low, high, n) == (pytest.approx(2 - half), pytest.approx(2 + half), 3)


@pytest.mark.parametrize("values", [{0: 1.0}, {0: 1.0, 1: math.nan, 2: 2.0}])
def test_no_interval_from_one_seed_or_without_a_number(values):
    assert interval(values) is None


def test_an_infinite_value_does_not_remove_the_interval():
    assert interval({0: 3.0, 1: math.inf, 2: 1.0}) == (1.0, math.inf, 3)
    assert interval(dict(enumerate([*range(5), math.inf]))) == (0, math.inf, 6)


def test_one_infinite_value_of_many_lies_beyond_the_interval_of_the_median():
    assert interval(dict(enumerate([*range(11), math.inf]))) == (2, 9, 12)  # David, Nagaraja, Order Statistics, 7.1
    assert interval(dict(enumerate([*range(9), math.inf]))) == (1, 8, 10)


def test_the_interval_of_what_cannot_be_negative_is_not_negative():
    """Of logarithms, so it is the exponential of their t-interval."""
    values = {0: 1.9e-4, 1: 1.7e-3, 2: 4e-4}
    assert interval(values).low < 0 < interval(values, positive=True).low
    logarithms = interval({seed: math.log(value) for seed, value in values.items()})
    assert interval(values, positive=True).high == pytest.approx(math.exp(logarithms.high))
    with_zero = {**values, 1: 0.0}  # no logarithm
    assert interval(with_zero, positive=True) == interval(with_zero)._replace(low=0.0)
    assert interval(with_zero).low < 0 and interval(with_zero).high > max(with_zero.values())


def test_examples_that_all_seeds_share_widen_the_interval():
    """54 scans: a lead of half a scan is none, though every seed has it."""
    leads, sampling = {1: 0.01, 2: 0.01, 3: 0.011}, math.sqrt(2 * 0.95 * 0.05 / 54)
    wide = interval(leads, sampling=sampling)
    spread = interval(leads).high - interval(leads).low
    assert wide.high - wide.low == pytest.approx(math.hypot(spread, 2 * 1.959964 * sampling))
    lead = replace(condition([0.01, 0.01, 0.011], "above", 0.0), sampling=sampling)
    assert lead.outcome == "undecided"
    assert replace(lead, sampling=1e-4).outcome == "met"
    miss = replace(lead, values={0: -0.01, 1: -0.01, 2: -0.011})
    assert miss.outcome == "undecided"
    assert replace(miss, values={0: -0.2, 1: -0.2, 2: -0.21}).outcome == "not met"


def test_examples_widen_the_interval_of_logarithms_as_a_share():
    """A ratio of 20, known to 2 from the examples alone: a tenth of it either way, on a logarithmic scale."""
    low, high, _ = interval({0: 20.0, 1: 20.0, 2: 20.0}, positive=True, sampling=2.0)
    assert (math.log(low), math.log(high)) == pytest.approx(
        (math.log(20) - 1.959964 * 0.1, math.log(20) + 1.959964 * 0.1), rel=1e-6
    )


def test_one_seed_has_the_interval_of_its_examples():
    assert interval({0: 0.5}, sampling=0.1) == (pytest.approx(0.304, abs=1e-3), pytest.approx(0.696, abs=1e-3), 1)


@pytest.mark.parametrize(
    ("values", "sense", "outcome"),
    [
        ([0.9, 0.91, 0.92], "at_least", "met"),
        ([0.1, 0.11, 0.12], "at_least", "not met"),
        ([0.4, 0.6, 0.6], "at_least", "undecided"),
        ([0.52, 0.9, 0.7], "at_least", "undecided"),  # every seed is above, but they spread too wide to say so
        ([0.5], "at_least", "met"),
        ([0.5], "above", "not met"),
        ([0.5], "at_most", "met"),
        ([0.5], "below", "not met"),
        ([math.inf, 3.0, 4.0], "above", "met"),
        ([math.inf, 0.1, 4.0], "above", "undecided"),
        ([math.nan, math.nan, math.nan], "at_least", "undecided"),
        ([0.1, 0.3, 0.49], "at_least", "not met"),  # every seed fails, however wide they spread
    ],
)
def test_outcome(values, sense, outcome):
    assert condition(values, sense).outcome == outcome


@pytest.mark.parametrize(
    ("values", "outcome"),
    [
        ([0.6] * 12 + [0.4, 0.45], "met"),
        ([0.4] * 12 + [0.6, 0.55], "not met"),
        ([0.9] * 5 + [0.4] * 9, "undecided"),
        ([0.5002, 0.4998] * 6 + [0.5012, 0.4995], "no difference"),  # one seed lies outside the margin
        ([0.49] * 11 + [-5.0], "undecided"),  # no seed meets it, but the interval reaches across
    ],
)
def test_of_many_seeds_the_interval_alone_decides(values, outcome):
    found = replace(condition(values, "above"), independent=frozenset(range(len(values))))
    lead = replace(found, values={seed: value - 0.5 for seed, value in found.values.items()}, threshold=0.0)
    assert replace(lead, equal_within=0.001).outcome == outcome


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([0.6] * 12 + [0.4, 0.45], "12 of 14 seeds meet it, and so does their interval"),
        ([0.4] * 12 + [0.6, 0.55], "2 of 14 seeds meet it, but not their interval"),
        ([0.9] * 5 + [0.4] * 9, "5 of 14 seeds meet it, but their interval reaches across the threshold"),
    ],
)
def test_a_verdict_of_many_seeds_says_how_many_agree(values, why):
    check = SimpleNamespace(can_fail=True, better_beyond=None)
    claim = SimpleNamespace(by_construction=None, needs_seeds=3, check=check)
    found = replace(condition(values), independent=frozenset(range(len(values))))
    assert judge(claim, [found]).why == why


@pytest.mark.parametrize(("needed", "status"), [(3, "reproduced"), (5, "indicated")])
def test_a_claim_needs_as_many_seeds_as_its_paper_has(needed, status):
    claim = claim_of(ordering(), needs_seeds=needed)
    found = judge(claim, [replace(condition([0.6, 0.61, 0.62, 0.6]), independent=frozenset(range(4)))])
    assert found.status == status
    few = "; a verdict needs 5 independent ones and has 4" if needed == 5 else ""
    assert found.why == f"all 4 seeds meet it{few}"


def test_the_worst_condition_decides_and_of_two_as_bad_the_farther_one():
    seeds = frozenset(range(3))
    met, missed, far = (
        replace(condition(values), label=label, independent=seeds)
        for label, values in (("met", [0.9] * 3), ("missed", [0.45] * 3), ("far", [0.1] * 3))
    )
    for order in ((met, missed, far), (far, missed, met)):
        assert judge(claim_of(ordering()), order).decided_by == "far"
    assert judge(claim_of(ordering()), [met, missed]).decided_by == "missed"


def test_the_condition_with_the_fewest_seeds_says_whether_they_are_enough():
    many, few = (replace(condition([0.6, 0.61, 0.62, 0.6, 0.61][:n]), independent=frozenset(range(n))) for n in (5, 2))
    for order in ((many, few), (few, many)):
        assert judge(claim_of(ordering()), order)[:2] == ("indicated", 2)
    assert judge(claim_of(ordering()), [many, many])[:2] == ("reproduced", 5)


def test_only_the_main_reading_can_be_better_than_the_paper():
    """Under another one the paper's number was not printed for these data or this setting."""
    claim = claim_of({**LAST, "algorithms": ["fedmid"], "expect": 0.3, "margin": 0.1, "better": "highest"})
    ends = (condition([0.6, 0.61, 0.62], "at_least", 0.2), condition([0.6, 0.61, 0.62], "at_most", 0.4))
    bounds = [replace(end, independent=frozenset(range(3))) for end in ends]
    assert judge(claim, bounds).status == "better than the paper"
    assert judge(claim, bounds, reads_otherwise=True).status == "not reproduced"


def test_fewer_seeds_must_all_agree():
    values = [0.6] * (MANY - 2) + [0.49]
    found = replace(condition(values), independent=frozenset(range(len(values))))
    assert min(found.interval[:2]) > 0.5 and found.outcome == "undecided"


def test_equal_within_rounding_is_a_tie_in_favour_of_nobody():
    tie = Condition("lead", {0: -1.2e-9, 1: 0.0, 2: 3e-9}, "above", 0.0, (), rounding=1e-6)
    assert tie.outcome == "no difference"
    assert replace(tie, sense="at_least").outcome == "met"
    assert replace(tie, rounding=0.0).outcome == "undecided"


def test_a_difference_inside_the_named_margin_is_none():
    close = Condition("lead", {0: 0.001, 1: -0.001, 2: 0.0005}, "above", 0.0, (), equal_within=0.01)
    assert close.outcome == "no difference"
    assert replace(close, equal_within=0.002).outcome == "undecided"  # the interval reaches beyond it


def test_seeds_that_selected_count_only_where_there_are_no_others():
    found = Condition("F1", {0: 0.1, 1: 0.9, 2: 0.91, 3: 0.92}, "at_least", 0.8, (), frozenset({1, 2, 3}))
    assert (found.outcome, found.seeds, found.meeting) == ("met", 3, 3)
    assert replace(found, independent=frozenset()).outcome == "undecided"


def test_what_is_saturated_or_not_comparable_is_not_judged():
    found = Condition("lead", {0: 0.5}, "above", 0.0, ())
    assert found.outcome == "met"
    assert replace(found, comparable=False).outcome == "not comparable"
    assert replace(found, saturated=True).outcome == "saturated"


def test_slack_is_on_the_right_side_of_the_threshold():
    assert condition([0.7, 0.9], "at_least").slack == pytest.approx(0.3)
    assert condition([0.7, 0.9], "at_most").slack == pytest.approx(-0.3)
    assert condition([math.nan], "at_most").slack == -math.inf
