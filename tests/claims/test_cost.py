"""What a run has cost up to a round."""

import pytest
from made_results import made_run

from fedatlas.claims.quantities import RoundMissingError
from fedatlas.claims.quantities.cost import Cost

RUN = made_run("dualfl", {("train", "loss"): [[3, 2, 1]]}, costs={"gradient_evaluations": [0, 40, 90]})


def cost(**changes) -> Cost:
    return Cost.model_validate({"kind": "cost", "of": "gradient_evaluations", "at": "last"} | changes)


def test_it_is_the_total_up_to_the_round():
    assert cost().measure(RUN) == 90
    assert cost(at=1).measure(RUN) == 40


def test_it_needs_the_round_to_be_evaluated():
    with pytest.raises(RoundMissingError, match="no evaluation at round 7"):
        cost(at=7).measure(RUN)


def test_it_says_what_and_until_when():
    assert cost(at=1).describe() == "gradient evaluations up to round 1"
    assert cost(at="last").describe().endswith("up to the last round")
