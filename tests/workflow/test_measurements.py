"""What runs have taken, and what they will take on this machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fedatlas import measurements
from fedatlas.config import read_yaml
from fedatlas.measurements import BESIDE, UNKNOWN, Cost, foretold, kind_of, measured, predict, record, shipped
from fedatlas.pipeline import Pipeline

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def runs():
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return list(Pipeline(read_yaml(Path("config/quick.yaml")) | {"experiments": ["fco/lasso_I"]}).runs.values())


@pytest.fixture
def finished(tmp_path, runs):
    """A folder with the manifest of one run."""
    path = tmp_path / runs[0].folder / "run.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"seconds": {"total": 40.0}, "peak_memory_mb": 600.4}))
    return tmp_path


def test_a_run_takes_what_its_manifest_says_and_what_a_job_takes_beside_it(finished, runs):
    assert measured(runs, finished) == {kind_of(runs[0]): Cost(40.0 + BESIDE.seconds, 600 + BESIDE.memory_mb)}


def test_a_manifest_that_says_nothing_is_left_out(finished, runs):
    (finished / runs[0].folder / "run.json").write_text("{}")
    assert measured(runs, finished) == {}


def test_what_is_recorded_is_read_again_and_other_kinds_are_kept(tmp_path, monkeypatch):
    """On a machine that is half as fast, too, whose seconds are made those of the first."""
    path = tmp_path / "measurements.yaml"
    monkeypatch.setattr(measurements, "yardstick", lambda: 0.1)
    record({"quick/a/b/c/sweep": Cost(1.5, 700)}, path)
    monkeypatch.setattr(measurements, "yardstick", lambda: 0.2)
    record({"quick/a/b/d/sweep": Cost(5.0, 800)}, path)
    assert read_yaml(path)[measurements.YARDSTICK] == 0.1
    assert shipped(path) == {"quick/a/b/c/sweep": Cost(1.5, 700), "quick/a/b/d/sweep": Cost(2.5, 800)}


def test_shipped_costs_are_scaled_to_this_machine_and_its_own_are_not(finished, runs, monkeypatch):
    path = finished / "measurements.yaml"
    monkeypatch.setattr(measurements, "yardstick", lambda: 0.1)
    record({kind_of(run): Cost(10.0, 700) for run in runs}, path)
    monkeypatch.setattr(measurements, "yardstick", lambda: 0.3)
    costs = foretold(runs, finished, path)
    assert predict(runs[0], costs) == (Cost(40.0 + BESIDE.seconds, 600 + BESIDE.memory_mb), True)
    seconds, known = predict(runs[1], costs)
    assert (seconds.seconds, seconds.memory_mb, known) == (pytest.approx(30.0), 700, True)


@pytest.mark.parametrize(
    ("kinds", "alike"),
    [
        ([], UNKNOWN),
        (["paper/x/y/z/sweep"], UNKNOWN),
        ([f"quick/x/y/{z}/tuned" for z in "abc"], Cost(40.0, 300)),  # the same scale; the middle, and the most
        (["quick/x/y/z/tuned", "quick/x/y/other/sweep"], Cost(40.0, 200)),  # the same stage
        (["quick/fco/y/other/sweep", "quick/fco/y/{algorithm}/sweep"], Cost(40.0, 200)),  # the same algorithm
        (["quick/fco/y/{algorithm}/sweep", "quick/fco/lasso_I/other/sweep"], Cost(40.0, 200)),  # the same experiment
    ],
)
def test_what_was_never_measured_costs_what_is_likest_to_it(runs, kinds, alike):
    kinds = [kind.format(algorithm=runs[0].algorithm) for kind in kinds]
    costs = {kind: Cost(10.0 * number**2, 100 * number) for number, kind in enumerate(kinds, 1)}
    assert runs[0].stage == "sweep"
    assert predict(runs[0], costs) == (alike, False)


def test_the_yardstick_takes_time():
    assert 0 < measurements.yardstick() < 10


def test_every_quick_run_has_a_shipped_cost_and_so_has_the_yardstick(monkeypatch):
    monkeypatch.chdir(ROOT)
    costs = shipped()
    assert all(predict(run, costs)[1] for run in Pipeline(read_yaml(Path("config/quick.yaml"))).runs.values())
    assert read_yaml(measurements.SHIPPED)[measurements.YARDSTICK] > 0
