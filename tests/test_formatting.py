"""Words and numbers as pages show them."""

from __future__ import annotations

import pytest

from fedatlas.formatting import unbroken


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
