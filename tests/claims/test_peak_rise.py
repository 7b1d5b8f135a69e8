"""By how many powers of ten the peak of n^k times a metric rises late in a run."""

import math

import numpy as np
import pytest
from made_results import made_run

from fedatlas.claims.quantities import RoundMissingError
from fedatlas.claims.quantities.peak_rise import PeakRise


def measured(curve, **changes) -> float:
    run = made_run("dualfl", {("model", "squared_solution_error"): [list(curve)]})
    settings = {"kind": "peak_rise", "metric": "squared_solution_error", "split": "model", "power": 2}
    return PeakRise.model_validate(settings | {"middle": 50, "end": 100} | changes).measure(run)


ROUNDS = np.arange(101.0)
LATER = np.maximum(ROUNDS, 1)


@pytest.mark.parametrize(("fall", "rise"), [(1, math.log10(2)), (2, 0), (1.5, 0.5 * math.log10(2))])
def test_a_power_of_the_round_rises_by_what_it_lacks(fall, rise):
    assert measured(LATER**-fall) == pytest.approx(rise)


def test_what_falls_faster_than_the_bound_has_its_peaks_early():
    """n² n^-3 is 1 / n: 1 in round 1 and 1/51 in round 51."""
    assert measured(LATER**-3) == pytest.approx(-math.log10(51))


def test_peaks_count_wherever_they_lie():
    curve = LATER**-2
    curve[70] *= 10
    assert measured(curve) == pytest.approx(1)
    curve[20] *= 100
    assert measured(curve) == pytest.approx(-1)


def test_rounds_after_the_end_do_not_count():
    curve = LATER**-2
    curve[90] *= 10
    assert measured(curve, middle=40, end=80) == pytest.approx(0)


def test_of_what_diverged_nothing_is_known():
    curve = LATER**-2
    curve[80:] = np.nan
    assert math.isnan(measured(curve))


def test_it_needs_its_rounds_to_be_evaluated():
    with pytest.raises(RoundMissingError, match="no evaluation at round 200"):
        measured(LATER**-2, end=200)
    with pytest.raises(ValueError, match="middle"):
        measured(LATER**-2, middle=0)
    with pytest.raises(ValueError, match="'end' is 50, but must come after 'middle', which is 50"):
        measured(LATER**-2, end=50)


def test_it_says_what_rises():
    settings = {"kind": "peak_rise", "metric": "squared_solution_error", "split": "model", "power": 2}
    described = PeakRise.model_validate({**settings, "middle": 150, "end": 300}).describe()
    assert described == (
        "peak of n^2 × squared solution error in rounds 151 to 300 over its peak up to round 150, in powers of ten"
    )
