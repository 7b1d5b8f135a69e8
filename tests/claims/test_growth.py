"""By how many powers of ten a cost grows."""

import math

import pytest
from made_results import made_run

from fedatlas.claims.quantities import RoundMissingError
from fedatlas.claims.quantities.growth import Growth

RUN = made_run("dualfl", {("train", "loss"): [[3, 2, 1]]}, costs={"gradient_evaluations": [0, 40, 4000]})


def growth(**changes) -> Growth:
    return Growth.model_validate({"kind": "growth", "of": "gradient_evaluations", "start": 1, "end": 2} | changes)


def test_it_is_the_logarithm_of_the_later_total_over_the_earlier():
    assert growth().measure(RUN) == pytest.approx(2)
    assert growth(end="last").measure(RUN) == pytest.approx(2)


def test_nothing_spent_has_no_growth():
    run = made_run("dualfl", {("train", "loss"): [[3, 2, 1]]}, costs={"gradient_evaluations": [0, 0, 40]})
    assert math.isnan(growth().measure(run))


def test_it_needs_both_rounds_to_be_evaluated():
    with pytest.raises(RoundMissingError, match="no evaluation at round 7"):
        growth(end=7).measure(RUN)
    assert growth().rounds == {"start": 1, "end": 2}


def test_it_says_what_and_between_which_rounds():
    assert growth().describe() == "growth of gradient evaluations in powers of ten from round 1 to round 2"
