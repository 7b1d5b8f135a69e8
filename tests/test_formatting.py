"""Words and numbers as pages show them."""

from __future__ import annotations

import pytest

from fedatlas.formatting import number, unbroken


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("below 1e-6 after 1 123 rounds", "below 1e−6 after 1\u202f123 rounds"),
        ("60 000 000 examples", "60\u202f000\u202f000 examples"),
        ("seeds 1 2 345678", "seeds 1 2 345678"),
        ("a five-year 10 to 100", "a five-year 10 to 100"),
    ],
)
def test_numbers_stay_on_one_line(written, shown):
    assert unbroken(written) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1e-6, "1e−6"), (-3.16e-5, "−3.16e−5"), (1.094e7, "1.09e7"), (1e-4, "0.0001"), (12345.6, "12 346"), (0.5, "0.5"),
     (2e-12, "2e−12"), (float("inf"), "∞")],
)  # fmt: skip
def test_a_number_has_three_digits_and_an_exponent_only_where_it_is_short(value, shown):
    assert number(value) == shown
