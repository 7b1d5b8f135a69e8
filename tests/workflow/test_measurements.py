"""What runs have taken, and what they will take on this machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fedatlas import measurements
from fedatlas.config import read_yaml
from fedatlas.errors import AtlasError
from fedatlas.measurements import (
    BESIDE,
    UNKNOWN,
    Cost,
    chains,
    foretold,
    kind_of,
    like_of,
    measured,
    on_record,
    predict,
    published,
    record,
    shipped,
    work_of,
)
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
    own = Cost(40.0 + BESIDE.seconds, 600 + BESIDE.memory_mb, work_of(runs[0]), like_of(runs[0]))
    assert measured(runs, finished) == {kind_of(runs[0]): own}


def test_a_manifest_that_says_nothing_is_left_out(finished, runs):
    for content in ("{}", "null", "[1]"):
        (finished / runs[0].folder / "run.json").write_text(content)
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


def test_runs_of_a_kind_take_their_mean_time_and_the_most_memory(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    pipeline = Pipeline(read_yaml(Path("config/paper.yaml")) | {"experiments": ["fco/lasso_I"]})
    alike = [run for run in pipeline.runs.values() if kind_of(run) == "paper/fco/lasso_I/fedmid/tuned"][:2]
    for run, seconds, memory in zip(alike, (10.0, 30.0), (500, 700), strict=True):
        (tmp_path / run.folder).mkdir(parents=True)
        about = {"seconds": {"total": seconds}, "peak_memory_mb": memory}
        (tmp_path / run.folder / "run.json").write_text(json.dumps(about))
    (cost,) = measured(alike, tmp_path).values()
    assert (cost.seconds, cost.memory_mb) == (20.0 + BESIDE.seconds, 700 + BESIDE.memory_mb)


@pytest.mark.parametrize("row", ["{second: 3}", "{seconds: fast, memory_mb: 3}"])
def test_a_row_that_is_no_cost_is_named(tmp_path, row):
    path = tmp_path / "measurements.yaml"
    path.write_text(f"quick/a/b/c/sweep: {row}")
    with pytest.raises(AtlasError, match="measurements.yaml: 'quick/a/b/c/sweep' is not a cost, which has seconds"):
        shipped(path)


def test_shipped_costs_are_scaled_to_this_machine_and_its_own_are_not(finished, runs, monkeypatch):
    path = finished / "measurements.yaml"
    monkeypatch.setattr(measurements, "yardstick", lambda: 0.1)
    record({kind_of(run): Cost(10.0, 700) for run in runs}, path)
    monkeypatch.setattr(measurements, "yardstick", lambda: 0.3)
    costs = foretold(runs, finished, path)
    own, known = predict(runs[0], costs)
    assert (own.seconds, own.memory_mb, known) == (40.0 + BESIDE.seconds, 600 + BESIDE.memory_mb, True)
    seconds, known = predict(runs[1], costs)
    assert (seconds.seconds, seconds.memory_mb, known) == (pytest.approx(30.0), 700, True)


def test_what_is_published_tells_of_runs_that_nothing_else_does(finished, runs, monkeypatch):
    monkeypatch.chdir(finished)
    folder, path = finished / "published", finished / "measurements.yaml"
    experiment = runs[0].spec.model_dump(exclude_none=True)
    own = {"algorithm": runs[0].algorithm, "seed": 0, "seconds": {"total": 20.0}, "peak_memory_mb": 500.0}
    (folder / "fco/lasso_I").mkdir(parents=True)
    (folder / "fco/lasso_I/manifest.json").write_text(json.dumps({"experiment": experiment, "runs": [own]}))
    (folder / "fco/another").mkdir()
    (folder / "fco/another/manifest.json").write_text(
        json.dumps({"experiment": {"of": "an old version"}, "runs": [own]})
    )
    cost = Cost(20.0 + BESIDE.seconds, 500 + BESIDE.memory_mb, work_of(runs[0]), like_of(runs[0]))
    assert published(folder) == {kind_of(runs[0]): cost}
    assert on_record(runs, path, folder, now=0.3) == {kind_of(runs[0]): cost}  # of a machine whose speed nobody knows
    known = {"experiment": experiment, "runs": [own | {"yardstick": 0.1}]}
    (folder / "fco/lasso_I/manifest.json").write_text(json.dumps(known))
    assert published(folder) == {kind_of(runs[0]): cost}
    assert on_record(runs, path, folder, now=0.3)[kind_of(runs[0])].seconds == pytest.approx(3 * cost.seconds)
    monkeypatch.setattr(measurements, "yardstick", lambda: 0.1)
    record({kind_of(run): Cost(10.0, 700) for run in runs}, path)
    found = on_record(runs, path, folder, now=0.3)
    assert [cost.seconds for cost in found.values()] == pytest.approx([30.0] * len(runs))


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


def test_a_guess_grows_with_the_rounds_that_its_configurations_train(runs):
    run = runs[0]
    work = len(run.configurations) * run.spec.training.rounds
    assert work_of(run) == work
    measured_of_half = Cost(BESIDE.seconds + 10.0, 100, work // 2, "something else")
    guess, known = predict(run, {"quick/fco/lasso_I/other/sweep": measured_of_half})
    assert guess.seconds == pytest.approx(BESIDE.seconds + 10.0 * work / (work // 2)) and not known


def test_what_works_on_the_like_is_nearer_than_the_same_algorithm_on_something_else(runs):
    run = runs[0]
    assert like_of(run) == "linear_regression lasso 10x1epx10"
    costs = {
        f"quick/fco/y/{run.algorithm}/sweep": Cost(10.0, 100, 20, "another"),
        "quick/x/y/z/sweep": Cost(20.0, 200, work_of(run), like_of(run)),
    }
    assert predict(run, costs) == (Cost(20.0, 200), False)


def test_work_counts_all_configurations_up_to_the_selection_and_one_from_there(monkeypatch):
    monkeypatch.chdir(ROOT)
    runs = _runs("medium", "feddua/cifar10_small")
    sweep, tuned = runs["medium/feddua/cifar10_small/fedavg/seed0"], runs["medium/feddua/cifar10_small/fedavg/seed1"]
    assert work_of(tuned) == tuned.spec.training.rounds == 240
    assert work_of(sweep) == 9 * 40 + 200


def test_the_chain_of_a_run_is_as_long_as_what_waits_for_it(monkeypatch):
    monkeypatch.chdir(ROOT)
    runs = _runs("medium", "feddua/cifar10_small")
    found = chains(runs.values(), lambda run: 60.0 if run.stage == "sweep" else 7.0, lambda run: 0.5)
    assert {run.stage: found[run.folder] for run in runs.values()} == {"sweep": 67.5, "tuned": 7.5}


def test_runs_of_the_paper_that_takes_longest_to_draw_come_first(monkeypatch):
    monkeypatch.chdir(ROOT)
    runs = [*_runs("quick", "fco/lasso_I").values(), *_runs("quick", "fedpd/claim_2_1").values()]
    found = chains(runs, lambda run: 5.0, lambda run: 90.0 if run.experiment.paper == "fco" else 20.0)
    first = max(runs, key=lambda run: found[run.folder])
    assert first.experiment.paper == "fco" and found[first.folder] == 95.0


def _runs(scale: str, experiment: str):
    return Pipeline(read_yaml(Path(f"config/{scale}.yaml")) | {"experiments": [experiment]}).runs


def test_the_yardstick_takes_time():
    assert 0 < measurements.yardstick() < 10


def test_every_quick_run_has_a_shipped_cost_and_so_has_the_yardstick(monkeypatch):
    monkeypatch.chdir(ROOT)
    costs = shipped()
    assert all(predict(run, costs)[1] for run in Pipeline(read_yaml(Path("config/quick.yaml"))).runs.values())
    assert read_yaml(measurements.SHIPPED)[measurements.YARDSTICK] > 0
