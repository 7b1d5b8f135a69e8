"""The tables that are kept of an experiment, and its settings, made from a few small runs."""

import io
from dataclasses import replace

import configuration
import pandas as pd
import pytest
from made_results import made_experiment, made_run

from fedatlas.claims.quantities.over_grid import OverGrid
from fedatlas.files import write_text
from fedatlas.results.metric import Metric
from fedatlas.results.published import load_published, seal
from fedatlas.results.published.read import KEPT_SCALES
from fedatlas.results.published.write import dots_table, metrics_table, write_results

SCALED = {scale: configuration.known(scale) for scale in KEPT_SCALES}
KNOWN = SCALED["paper"]
KEY = "fco/lasso_I"


def test_a_table_that_is_thinned_keeps_the_first_round_and_the_last_of_the_shorter_run_too():
    loss = ("train", "loss")
    runs = [made_run("fedmid", {loss: [[1.0] * 42]}), made_run("centralized", {loss: [[1.0] * 20]})]
    table = pd.read_csv(io.StringIO(metrics_table(made_experiment("fco/lasso_I", *runs), limit=1000)))
    last = table.groupby("algorithm")["round"].max()
    assert dict(last) == {"fedmid": 41, "centralized": 19}
    assert set(table.groupby("algorithm")["round"].min()) == {0} and len(table) < 40  # every other one from 41 is odd


def swept_twice():
    """Two seeds that sweep two rates, whose F1 ends differ, and one that does not sweep."""
    grid, f1 = [{"client_lr": 0.1}, {"client_lr": 0.2}], ("model", "f1")
    ends = {0: [[0.0, 0.1], [0.0, 0.2]], 1: [[0.0, 0.3], [0.0, 0.4]], 2: [[0.0, 0.5], [0.0, 0.6]]}
    runs = [
        made_run("fedmid", {f1: curves}, grid=grid, own={"seed": seed, "stage": "tuned" if seed == 2 else "sweep"})
        for seed, curves in ends.items()
    ]
    return made_experiment("fco/lasso_I", *(replace(run, kept_scores=(0.2, 0.1)) for run in runs))


def test_every_seed_that_sweeps_is_published_with_its_own_numbers(tmp_path):
    folder, results = tmp_path / "fco/lasso_I", swept_twice()
    write_results(folder, results, [])
    write_text(folder / "dots.csv", dots_table(results, [Metric(metric="f1", split="model")], [0]))
    seal(tmp_path)
    runs = load_published(tmp_path, SCALED)["fco/lasso_I"].results.runs["fedmid"]
    typical = OverGrid(kind="over_grid", metric="f1", split="model", at="last", best="highest")
    assert {seed: typical.measure(runs[seed]) for seed in (0, 1)} == pytest.approx({0: 0.15, 1: 0.35})
    assert [run.configuration["client_lr"] for run in runs.values()] == [0.1, 0.1, 0.1]


def test_a_file_that_the_runs_have_no_more_goes(tmp_path):
    (tmp_path / "clients.csv").write_text("of older runs")
    write_results(tmp_path, swept_twice(), [])
    assert not (tmp_path / "clients.csv").exists()


def published(folder, **changes):
    """What is read of an experiment whose file has changed since its runs."""
    results = swept_twice()
    write_results(folder / KEY, replace(results, experiment=KNOWN[KEY]), [])
    seal(folder)
    return load_published(folder, {**SCALED, "paper": {**KNOWN, KEY: KNOWN[KEY].model_copy(update=changes)}})[KEY]


def test_settings_are_those_of_the_runs_and_not_of_the_file_since(tmp_path):
    then = KNOWN[KEY].training
    longer = then.model_copy(update={"rounds": 2 * then.rounds})
    one = published(tmp_path, training=longer, title="In other words")
    assert one.experiment.training == then and one.experiment.title == "In other words"
    assert one.changed == ["training.rounds"]
    assert published(tmp_path).changed == []


def test_what_an_algorithm_got_or_lost_since_is_named(tmp_path):
    entries = {id: own for id, own in KNOWN[KEY].algorithms.items() if id != "feddualavg_osp"}
    entries["feddualavg"] = {**entries["feddualavg"], "sweep": {"client_lr": (0.5,)}, "label": "In other words"}
    one = published(tmp_path, algorithms={**entries, "fedavg": {}})
    assert {*one.changed} == {"algorithms.feddualavg.sweep", "algorithms.fedavg"}
    assert "feddualavg_osp" not in one.experiment.algorithms
