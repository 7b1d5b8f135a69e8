"""What a published manifest keeps of its runs."""

from __future__ import annotations

import json
from dataclasses import replace

from made_results import made_experiment, made_run

from fedatlas.results.published.write import write_results
from fedatlas.results.summary import facts


def test_how_fast_the_machine_of_a_long_run_was_is_published(tmp_path):
    curves = {("model", "f1"): [[0.0, 0.1]]}
    runs = [made_run("fedmid", curves, own={"seed": seed, "yardstick": pace}) for seed, pace in enumerate([None, 0.25])]
    scored = (replace(run, kept_scores=(0.1,)) for run in runs)
    write_results(tmp_path / "fco/lasso_I", made_experiment("fco/lasso_I", *scored), [])
    published = json.loads((tmp_path / "fco/lasso_I/manifest.json").read_text())["runs"]
    assert ["yardstick" in run for run in published] == [False, True]
    assert published[1]["yardstick"] == 0.25


def test_what_one_run_has_otherwise_than_the_first_is_published_of_it(tmp_path):
    curves = {("model", "f1"): [[0.0, 0.1]]}
    runs = [made_run("fedmid", curves, own={"seed": seed, "num_params": size}) for seed, size in enumerate([5, 5, 7])]
    scored = [replace(run, kept_scores=(0.1,)) for run in runs]
    write_results(tmp_path / "fco/lasso_I", made_experiment("fco/lasso_I", *scored), [])
    published = json.loads((tmp_path / "fco/lasso_I/manifest.json").read_text())
    assert published["num_params"] == 5
    assert [run.get("num_params") for run in published["runs"]] == [None, None, 7]
    assert dict(facts(scored))["parameters"] == "5, 7"
