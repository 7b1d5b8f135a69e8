"""Claims about how fast a metric falls, and about ratios: powers of ten, rates, roughness."""

import numpy as np
import pytest
from made_claims import F1, TO_90, ordering, rising, verdict

from fedatlas.errors import AtlasError

DECADES = {"kind": "decades", **F1, "start": 0, "end": "last", "floor": 1e-12}
RATE = {"kind": "rate", **F1, "start": 0, "end": "last", "floor": 1e-12}


def falling(per_round, start=1.0):
    """F1 that falls by so many powers of ten per round."""
    return lambda rounds: start * 10.0 ** (-per_round * rounds)


def values_of(found):
    return found.details["conditions"][0]["values"]


@pytest.mark.parametrize(
    ("level", "window", "fallen"),
    [
        (falling(0.05), {}, 5),
        (falling(0.05, start=100.0), {"start": 20, "end": 60}, 2),
        (falling(0.05), {"floor": 1e-3}, 3),  # no further than to the floor
        (lambda rounds: np.where(rounds < 100, 1.0, -1e-17), {}, 12),  # rounding may end below zero
        (falling(-0.05), {}, -5),
    ],
)
def test_decades(results_of, level, window, fallen):
    check = {**DECADES, **window, "algorithms": ["feddualavg"], "expect": fallen, "margin": 1e-9}
    found = verdict(check, results_of({"feddualavg": [level] * 3}))
    assert (found.status, values_of(found)["0"]) == ("reproduced", pytest.approx(fallen))


def test_decades_of_a_diverged_run_and_of_a_round_that_is_not_there(results_of):
    check = {**DECADES, "algorithms": ["fedmid"], "at_least": 0}
    evidence = results_of({}, diverged={"fedmid": {4}})
    assert verdict(check, evidence).status == "not comparable"
    with pytest.raises(AtlasError, match="no evaluation at round 200"):
        verdict({**check, "algorithms": ["feddualavg"], "end": 200}, evidence)


def test_a_lead_in_decades_is_a_factor(results_of):
    """0.1 and 0.005 differ by 1.3 powers of ten."""
    evidence = results_of({"feddualavg": [falling(0.023)] * 3, "fedmid": [falling(0.01)] * 3})
    for margin, status in ((1.2, "reproduced"), (1.4, "not reproduced")):
        check = ordering(quantity=DECADES, margin=margin)
        assert verdict(check, evidence).status == status


@pytest.mark.parametrize(
    ("level", "window", "rate"),
    [
        (falling(0.05), {}, 0.05),
        (lambda rounds: np.where(rounds < 40, 1.0, 10.0 ** (-0.2 * (rounds - 40))), {"start": 40}, 0.2),
        (falling(0.2), {"floor": 1e-8}, 0.2),  # what lies at the floor from round 40 on does not flatten the line
        (lambda rounds: np.where(rounds == 50, 1e-13, 10.0 ** (-0.1 * rounds)), {}, 0.1),  # nor what comes back
        (lambda rounds: np.where(rounds < 70, 10.0 ** (-0.1 * rounds), 1.0), {"end": 60}, 0.1),
    ],
)
def test_rate(results_of, level, window, rate):
    check = {**RATE, **window, "algorithms": ["feddualavg"], "expect": rate, "margin": 1e-9}
    found = verdict(check, results_of({"feddualavg": [level] * 3}))
    assert (found.status, values_of(found)["0"]) == ("reproduced", pytest.approx(rate))


def test_no_rate_from_two_points(results_of):
    evidence = results_of({"feddualavg": [falling(1.0)] * 3}, diverged={"fedmid": {4}})
    for algorithm in ("feddualavg", "fedmid"):
        found = verdict({**RATE, "algorithms": [algorithm], "at_least": -100}, evidence)
        assert (found.status, values_of(found)["0"]) == ("not comparable", "nan")
        assert "no line" in found.measured


def test_roughness(results_of):
    """A steady fall is smooth however fast; 0.2 up and down about it are differences of 0.4 up and down."""
    smooth, rough = falling(0.1), lambda rounds: falling(0.05)(rounds) * 10 ** (0.2 * (-1) ** (rounds // 10))
    quantity = {**RATE, "kind": "roughness", "floor": 1e-30}
    check = ordering(quantity=quantity, best="lowest", margin=0.39)
    found = verdict(check, results_of({"feddualavg": [smooth] * 3, "fedmid": [rough] * 3}))
    assert found.status == "reproduced"
    assert values_of(found)["0"] == pytest.approx(0.4 * np.sqrt(10 / 9))  # of ten differences


@pytest.mark.parametrize(
    ("bounds", "status"),
    [
        ({"at_most": 2.1}, "reproduced"),
        ({"at_most": 1.9}, "not reproduced"),
        ({"at_least": 1.9, "at_most": 2.1}, "reproduced"),
        ({"at_least": 2.1, "at_most": 3}, "not reproduced"),
        ({"at_least": 0.5, "at_most": 1.9}, "not reproduced"),
    ],
)
def test_ratio(results_of, bounds, status):
    """0.04 against 0.02 powers of ten per round."""
    evidence = results_of({"feddualavg": [falling(0.04)] * 3, "fedmid": [falling(0.02)] * 3})
    check = {"kind": "ratio", "quantity": RATE, "of": "feddualavg", "to": ["fedmid"], **bounds}
    found = verdict(check, evidence)
    assert (found.status, values_of(found)["0"]) == (status, pytest.approx(2))


def test_ratio_across_experiments_to_each_of_several(results_of):
    evidence = results_of({"feddualavg": [rising(20)] * 3}, other={"fedmid": [rising(40)] * 3, "feddualavg": [0.1] * 3})
    check = {"kind": "ratio", "quantity": TO_90, "of": "second/fedmid", "to": ["feddualavg"], "at_most": 2}
    assert verdict(check, evidence).status == "reproduced"
    both = {**check, "of": "feddualavg", "to": ["second/fedmid", "second/feddualavg"]}
    assert [c["values"]["0"] for c in verdict(both, evidence).details["conditions"]] == [0.5, 0]
    neither = {**check, "of": "second/feddualavg", "to": ["second/feddualavg"], "at_least": 0}
    assert verdict(neither, evidence).status == "inconclusive"
