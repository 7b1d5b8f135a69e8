"""Every kind of check: passing, failing, inconclusive, diverged."""

import math

import numpy as np
import pytest
from made_claims import F1, LAST, TO_90, ordering, rising, verdict

from fedatlas.errors import AtlasError


@pytest.mark.parametrize(
    ("bound", "levels", "status"),
    [
        ({"at_least": 0.8}, [0.9, 0.91, 0.92], "reproduced"),
        ({"at_least": 0.95}, [0.9, 0.91, 0.92], "not reproduced"),
        ({"at_least": 0.91}, [0.9, 0.91, 0.92], "inconclusive"),
        ({"at_most": 0.95}, [0.9, 0.91, 0.92], "reproduced"),
        ({"below": 0.9}, [0.9, 0.9, 0.9], "not reproduced"),
        ({"above": 0.89}, [0.9, 0.9, 0.9], "reproduced"),
        ({"expect": 0.9, "margin": 0.05}, [0.9, 0.91, 0.92], "reproduced"),
        ({"expect": 0.7, "margin": 0.05, "better": "highest"}, [0.9, 0.91, 0.92], "better than the paper"),
        ({"expect": 0.7, "margin": 0.05, "better": "lowest"}, [0.9, 0.91, 0.92], "not reproduced"),
        ({"expect": 0.7, "margin": 0.05}, [0.9, 0.91, 0.92], "not reproduced"),
        ({"expect": 0.99, "margin": 0.05, "better": "highest"}, [0.9, 0.91, 0.92], "not reproduced"),
        ({"expect": 0.9, "margin": 0.01}, [0.85, 0.9, 0.95], "inconclusive"),
    ],
)
def test_value(results_of, bound, levels, status):
    found = verdict({**LAST, "algorithms": ["feddualavg"], **bound}, results_of({"feddualavg": levels}))
    assert found.status == status
    assert found.interval.n == 3
    assert found.interval.low <= np.mean(levels) <= found.interval.high


def test_value_at_a_round_and_averaged(results_of):
    evidence = results_of({"feddualavg": [lambda rounds: rounds / 100] * 3})
    at_30 = {"kind": "value", **F1, "at": 30, "algorithms": ["feddualavg"], "expect": 0.3, "margin": 1e-9}
    mean = {"kind": "value", **F1, "at": "mean", "algorithms": ["feddualavg"], "expect": 0.5, "margin": 1e-9}
    assert verdict(at_30, evidence).status == "reproduced"
    assert verdict(mean, evidence).status == "reproduced"


def test_all_algorithms_of_a_check_must_meet_it(results_of):
    evidence = results_of({"feddualavg": [0.9] * 3, "fedmid": [0.1] * 3})
    found = verdict({**LAST, "algorithms": ["feddualavg", "fedmid"], "at_least": 0.5}, evidence)
    assert found.status == "not reproduced"
    assert "FedMiD" in found.details["decided_by"]


@pytest.mark.parametrize(
    ("bound", "rounds", "status"),
    [
        ({"below": 60}, [40, 50, 50], "inconclusive"),  # the interval reaches 61
        ({"below": 80}, [40, 50, 50], "reproduced"),
        ({"below": 30}, [40, 50, 50], "not reproduced"),
        ({"below": 90}, [40, 1000, 50], "inconclusive"),
        ({"at_least": 90}, [1000, 1000, 1000], "reproduced"),
    ],
)
def test_rounds_to(results_of, bound, rounds, status):
    evidence = results_of({"feddualavg": [rising(r) for r in rounds]})
    found = verdict({**TO_90, "algorithms": ["feddualavg"], **bound}, evidence)
    assert found.status == status
    assert ("never" in found.measured) == (1000 in rounds)


def test_rounds_to_a_falling_metric(results_of):
    evidence = results_of({"feddualavg": [lambda rounds: 1 - rounds / 100] * 3})
    check = {"kind": "rounds_to", **F1, "reach": 0.5, "rising": False, "algorithms": ["feddualavg"], "at_most": 50}
    assert verdict(check, evidence).status == "reproduced"


@pytest.mark.parametrize(("bound", "status"), [({"at_least": 0.4}, "reproduced"), ({"at_most": 0.4}, "not reproduced")])
def test_trend(results_of, bound, status):
    evidence = results_of({"feddualavg": [lambda rounds: rounds / 100] * 3})
    check = {"kind": "trend", **F1, "start": 20, "end": "last", "algorithms": ["feddualavg"], **bound}
    found = verdict(check, evidence)
    assert found.status == status
    assert "+0.8" in found.measured


def test_rounds_to_against_a_cost(results_of):
    """The made runs count 1280 gradient evaluations per round."""
    quantity = {**TO_90, "against": "gradient_evaluations"}
    evidence = results_of({"feddualavg": [rising(20)] * 3, "fedmid": [rising(1000)] * 3})
    found = verdict({**quantity, "algorithms": ["feddualavg"], "expect": 20 * 1280, "margin": 0}, evidence)
    assert found.status == "reproduced"
    assert found.expected.startswith("gradient evaluations until F1 ≥ 0.9")
    assert "never" in verdict({**quantity, "algorithms": ["fedmid"], "at_most": 1e9}, evidence).measured
    with pytest.raises(AtlasError, match="no metric 'smiles' of split 'cost'"):
        verdict({**quantity, "against": "smiles", "algorithms": ["feddualavg"], "at_most": 1}, evidence)


@pytest.mark.parametrize(
    ("check", "first", "second", "status"),
    [
        (ordering(), [0.9, 0.91, 0.92], [0.5, 0.51, 0.52], "reproduced"),
        (ordering(), [0.5, 0.51, 0.52], [0.9, 0.91, 0.92], "not reproduced"),
        (ordering(), [0.9, 0.91, 0.92], [0.95, 0.85, 0.9], "inconclusive"),
        (ordering(), [0.9] * 3, [0.895] * 3, "not reproduced"),
        (ordering(relation="not_behind"), [0.9] * 3, [0.905] * 3, "reproduced"),
        (ordering(relation="not_behind"), [0.9] * 3, [0.92] * 3, "not reproduced"),
        (ordering(best="lowest"), [0.1] * 3, [0.9] * 3, "reproduced"),
    ],
)
def test_ordering(results_of, check, first, second, status):
    assert verdict(check, results_of({"feddualavg": first, "fedmid": second})).status == status


def test_ordering_is_paired_by_seed(results_of):
    """Seeds that differ much from each other do not hide a difference that every one of them shows."""
    evidence = results_of({"feddualavg": [0.2, 0.5, 0.9], "fedmid": [0.1, 0.4, 0.8]})
    found = verdict(ordering(), evidence)
    assert found.status == "reproduced"
    assert found.interval.low == pytest.approx(0.1)


@pytest.mark.parametrize(("lead", "status"), [("difference", "inconclusive"), ("factor", "reproduced")])
def test_leads_that_spread_over_decades_are_factors(results_of, lead, status):
    """Every seed's lead is a factor of ten, which no interval of the differences shows."""
    evidence = results_of({"feddualavg": [1e-8, 1e-6, 1e-4], "fedmid": [1e-7, 1e-5, 1e-3]})
    found = verdict(ordering(best="lowest", margin=0, lead=lead), evidence)
    assert found.status == status
    if lead == "factor":
        assert found.interval.low == pytest.approx(1) == found.interval.high


@pytest.mark.parametrize(
    ("first", "second", "margin", "status"),
    [
        ([0.0] * 3, [1e-9] * 3, 0, "reproduced"),
        ([0.0] * 3, [0.0] * 3, 0, "no difference"),
        ([0.1] * 3, [0.3] * 3, 0.5, "not reproduced"),
        ([0.1] * 3, [0.4] * 3, 0.5, "reproduced"),
        ([0.1] * 3, [0.1 + 1e-9] * 3, 0, "no difference"),
    ],
)
def test_factors_of_nothing_and_of_a_margin(results_of, first, second, margin, status):
    evidence = results_of({"feddualavg": first, "fedmid": second})
    assert verdict(ordering(best="lowest", margin=margin, lead="factor"), evidence).status == status


@pytest.mark.parametrize("lead", ["difference", "factor"])
def test_what_is_perfect_on_both_sides_is_saturated_whatever_a_lead_is(results_of, lead):
    evidence = results_of({"feddualavg": [1.0, 1.0, 1.0], "fedmid": [1.0, 1.0, 0.9999]})
    accuracy = {"kind": "value", "metric": "accuracy", "split": "test", "at": "last"}
    found = verdict(ordering(quantity=accuracy, margin=0, lead=lead), evidence)
    assert found.status == "not decidable on this data"


def test_a_factor_of_negative_numbers_is_refused(results_of):
    evidence = results_of({"feddualavg": [-0.1] * 3, "fedmid": [0.1] * 3})
    with pytest.raises(AtlasError, match="cannot be negative, and one is"):
        verdict(ordering(lead="factor"), evidence)


def test_ordering_of_rounds_where_one_never_arrives(results_of):
    fast, slow = [rising(20)] * 3, [rising(1000)] * 3
    check = ordering(quantity=TO_90, best="lowest", margin=0)
    assert verdict(check, results_of({"feddualavg": fast, "fedmid": slow})).status == "reproduced"


def test_ordering_of_rounds_where_neither_arrives(results_of):
    check = ordering(quantity=TO_90, best="lowest", margin=0)
    found = verdict(check, results_of({"feddualavg": [0.1] * 3, "fedmid": [0.2] * 3}))
    assert (found.status, found.details["why"]) == (
        "inconclusive", "neither side has a number: no method reached the target"
    )  # fmt: skip


@pytest.mark.parametrize(("loser", "status"), [("fedmid", "not comparable"), ("feddualavg", "not reproduced")])
def test_a_diverged_competitor_is_not_beaten(results_of, loser, status):
    found = verdict(ordering(), results_of({}, diverged={loser: {4}}))
    assert found.status == status
    assert "diverged" in found.measured
    assert found.as_json()["interval"] is None


def test_a_diverged_algorithm_meets_no_bound_and_comes_to_no_target(results_of):
    evidence = results_of({}, diverged={"fedmid": {4}})
    soon = {"kind": "rounds_to", "metric": "f1", "split": "model", "reach": 0.4, "rising": True, "below": 50}
    assert verdict({**soon, "algorithms": ["fedmid"]}, evidence).status == "not reproduced"
    assert verdict({**soon, "algorithms": ["feddualavg"]}, evidence).status == "reproduced"
    assert verdict({**LAST, "algorithms": ["fedmid"], "at_most": 0.9}, evidence).status == "not comparable"


def test_experiments_of_one_figure_are_told_apart_by_their_titles(results_of):
    check = ordering(order=["first/*", "second/*"], each=["feddualavg"])
    levels = {"feddualavg": [0.9] * 3}, {"feddualavg": [0.8] * 3}
    found = verdict(check, results_of(*levels, second={"title": "Another toy"}))
    assert "A toy, then Another toy" in found.expected
    assert "FedDualAvg in Another toy 0.8" in found.measured


def test_ordering_across_experiments_for_each_algorithm(results_of):
    check = ordering(order=["first/*", "second/*"], each=["feddualavg", "fedmid"])
    slower = {"feddualavg": [0.7] * 3, "fedmid": [0.2] * 3}
    evidence = results_of({"feddualavg": [0.9] * 3, "fedmid": [0.5] * 3}, other=slower)
    found = verdict(check, evidence)
    assert found.status == "reproduced"
    assert "FedMiD in Figure 2 0.2" in found.measured
    assert len(found.details["conditions"]) == 2


@pytest.mark.parametrize(
    ("first", "second", "status"),
    [
        ([0.9] * 3, [0.5] * 3, "not reproduced"),
        ([0.5] * 3, [0.9] * 3, "not reproduced"),  # either may be ahead
        ([0.5, 0.6, 0.7], [0.45, 0.65, 0.65], "reproduced"),
        ([0.5, 0.6, 0.7], [0.2, 0.9, 0.4], "inconclusive"),
        ([0.99] * 3, [0.98] * 3, "reproduced"),
    ],
)
def test_gap(results_of, first, second, status):
    evidence = results_of({"feddualavg": first, "fedmid": second})
    check = {"kind": "gap", "quantity": LAST, "between": ["fedmid", "feddualavg"], "at_most": 0.28}
    assert verdict(check, evidence).status == status


def test_a_gap_between_three_is_one_between_every_two(results_of):
    levels = {"feddualavg": [0.4] * 3, "fedmid": [0.5] * 3}
    evidence = results_of(levels, other={"feddualavg": [0.6] * 3})
    check = {"kind": "gap", "quantity": LAST, "between": ["feddualavg", "fedmid", "second/feddualavg"]}
    assert verdict({**check, "at_most": 0.25}, evidence).status == "reproduced"
    found = verdict({**check, "at_most": 0.15}, evidence)
    assert found.status == "not reproduced"
    assert found.details["decided_by"] == "FedDualAvg less FedDualAvg in Figure 2 in F1 at the last round"


@pytest.mark.parametrize(
    ("fallen", "status"),
    [
        ([0.8, 0.81, 0.82], "reproduced"),
        ([0.4, 0.41, 0.42], "not reproduced"),
        ([0.5, 0.7, 0.52], "inconclusive"),
        ([0.6, 0.61, 0.62], "no difference"),
    ],
)
def test_smaller_fall_compares_what_is_lost(results_of, fallen, status):
    """FedMiD falls from 0.5 to 0.2, so that it is behind throughout; FedDualAvg falls from 0.9."""
    levels = {"feddualavg": [0.9, 0.91, 0.92], "fedmid": [0.5] * 3}
    evidence = results_of(levels, other={"feddualavg": fallen, "fedmid": [0.2] * 3})
    falls = {"fall": ["feddualavg", "second/feddualavg"], "than": ["fedmid", "second/fedmid"]}
    found = verdict({"kind": "smaller_fall", "quantity": LAST, "best": "highest", **falls}, evidence)
    assert found.status == status
    assert found.expected == (
        "F1 at the last round, what is lost: less from FedDualAvg to FedDualAvg in Figure 2 than from FedMiD to FedMiD "
        "in Figure 2"
    )


def test_a_smaller_fall_pairs_terms_in_the_same_places(results_of):
    check = {"kind": "smaller_fall", "quantity": LAST, "best": "highest", "fall": ["feddualavg", "second/feddualavg"]}
    with pytest.raises(AtlasError, match="'fall' and 'than' need the same number of terms, at least two"):
        verdict({**check, "than": ["fedmid"]}, results_of({}))


def test_a_method_that_diverges_has_lost_all_and_with_it_the_claim(results_of):
    evidence = results_of({"feddualavg": [0.9] * 3}, other={"feddualavg": [0.8] * 3}, diverged={"feddualavg": {4}})
    falls = {"fall": ["feddualavg", "second/feddualavg"], "than": ["fedmid", "second/fedmid"]}
    found = verdict({"kind": "smaller_fall", "quantity": LAST, "best": "highest", **falls}, evidence)
    assert found.status == "not reproduced"


def test_what_a_diverged_method_loses_is_not_comparable(results_of):
    evidence = results_of({"feddualavg": [0.9] * 3}, other={"feddualavg": [0.8] * 3}, diverged={"fedmid": {4}})
    falls = {"fall": ["feddualavg", "second/feddualavg"], "than": ["fedmid", "second/fedmid"]}
    found = verdict({"kind": "smaller_fall", "quantity": LAST, "best": "highest", **falls}, evidence)
    assert found.status == "not comparable"


def test_one_seed_decides_nothing(results_of):
    evidence = results_of({"feddualavg": [0.9]}, scale="quick")
    found = verdict({**LAST, "algorithms": ["feddualavg"], "at_least": 0.8}, evidence)
    assert (found.status, found.interval, found.seeds) == ("indicated", None, 0)  # it has selected
    assert found.details["why"].endswith("without an interval; a verdict needs 3 independent ones and has none")


def test_numbers_that_are_not_finite_stay_valid_json(results_of):
    check = ordering(quantity=TO_90, best="lowest", margin=0)
    found = verdict(check, results_of({"feddualavg": [rising(20)] * 3, "fedmid": [0.1] * 3})).as_json()
    assert found["details"]["conditions"][0]["values"] == dict.fromkeys("0123", "inf")
    assert not any(isinstance(v, float) and math.isinf(v) for v in found["details"]["conditions"][0]["values"].values())
