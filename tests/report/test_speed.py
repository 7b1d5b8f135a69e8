"""The page of speed, and what is kept of a measurement."""

import json
from pathlib import Path

import pytest

from fedatlas.errors import AtlasError
from fedatlas.report.drawing import theme
from fedatlas.report.model.speed import US, Speed, load_speed
from fedatlas.report.pages import speed as page
from fedatlas.report.standalone import on_white

ROOT = Path(__file__).parents[2]


WORK = {"about": "Least squares, small", "configurations": 1, "flops": 2e6, "least_bytes": 1e6}


def time_of(peer, ms, other_cores=0.0):
    return {"peer": peer, "work": "squares", "ms": ms, "blocks": [ms, 1.1 * ms, ms], "other_cores": other_cores,
            "versions": {"numpy": "2.0"}}  # fmt: skip


@pytest.fixture
def measured():
    """One work of 2e6 operations and 1e6 bytes, on a machine of 1e9 of each."""
    return Speed.model_validate(
        {
            "measured": "2026-01-02",
            "commit": "0" * 40,
            "machine": {"processor": "a processor", "cores": 2, "bandwidth": 1e9, "peak": 1e9},
            "works": {"squares": WORK},
            "times": [time_of("stock TFF", 80.0, other_cores=0.5), time_of(US, 4.0), time_of("numpy by hand", 2.0)],
            "scaling": {"features": [[10, 1.0], [1000, 10.0]]},
            "memory": [[100, 300.0], [10000, 600.0]],
        }
    )  # fmt: skip


def test_peers_stand_in_order_beside_their_ratio_to_ours(measured):
    rows = page._rows(measured, "squares")
    assert [(row["peer"], row["times"]) for row in rows] == [("numpy by hand", "0.5"), (US, "1"), ("stock TFF", "20")]


def test_shares_are_of_what_the_machine_reaches(measured):
    """A round of 4 ms with 2e6 operations does 5e8 a second, half of the peak."""
    assert measured.shares(measured.of("squares")[US]) == pytest.approx((0.5, 0.25))


def test_only_a_disturbed_time_is_marked(measured):
    assert [row["busy"] for row in page._rows(measured, "squares")] == ["", "", "0.50"]


def test_the_slope_is_that_from_end_to_end(measured):
    assert page._slope(measured.scaling["features"]) == pytest.approx(0.5)


def test_the_picture_names_every_peer_and_its_time(measured):
    with theme.style(theme.LIGHT):
        text = on_white(page.draw_beside(measured, theme.LIGHT, 2))
    assert all(word in text for word in ("stock TFF", "numpy by hand", US, "Least squares"))


def test_what_is_kept_is_read_and_damage_is_named(measured, tmp_path):
    path = tmp_path / "speed.json"
    assert load_speed(path) is None
    path.write_text(measured.model_dump_json())
    assert load_speed(path) == measured
    path.write_text(json.dumps(json.loads(path.read_text()) | {"times": 3}))
    with pytest.raises(AtlasError, match=r"speed.json.*times"):
        load_speed(path)
    path.write_text("{")
    with pytest.raises(AtlasError, match="make speed"):
        load_speed(path)


def test_every_peer_of_the_page_says_what_it_does_differently():
    scripts = (ROOT / "benchmarks/speed").glob("*.py")
    said = {line.split('"')[1] for path in scripts for line in path.read_text().splitlines() if 'say("' in line}
    assert said == set(page.DIFFERENT)
