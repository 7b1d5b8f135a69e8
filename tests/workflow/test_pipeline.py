"""A small experiment from its file to the pages, through the real workflow and TensorFlow Federated."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from fedatlas.results.run import load_run

ROOT = Path(__file__).parents[2]
TFF = ROOT / ".env/tff/bin/python"
ONLY = ["--config", 'experiments=["fco/small"]']
SMALL = {
    "training": {"rounds": 6},
    "evaluation": {"every": 3, "splits": ["train", "validation"]},
    "sweep": {"client_lr": [0.0003, 0.001], "server_lr": [1, 100000]},
    "select": {"metric": "f1", "split": "model", "best": "highest", "over_last": 3},
    "seeds": {"sweep": [0], "tuned": [1]},
    "algorithms": {"feddualavg": {}, "fedmid": {}},
}

pytestmark = [
    pytest.mark.pipeline,
    pytest.mark.skipif(not TFF.exists(), reason="the TFF environment is not made: run `make test`"),
]


@pytest.fixture(scope="module")
def finished(make_project):
    """The project after one call of snakemake on one small experiment."""
    project = make_project(TFF)
    folder = project.folder / "config/experiments/fco"
    content = {
        **yaml.safe_load((folder / "lasso_I.yaml").read_text()),
        **yaml.safe_load((folder / "lasso_III.yaml").read_text()),
    }
    content = {key: value for key, value in content.items() if key not in ("extends", "quick")}
    content["training"] |= SMALL["training"]
    (folder / "small.yaml").write_text(yaml.safe_dump({**content, **SMALL, "training": content["training"]}))
    done = project.run(*ONLY)
    assert done.returncode == 0, done.stderr
    return project


def runs(project) -> dict[str, Path]:
    folder = project.folder / "data/runs/quick/fco/small"
    return {f"{path.parents[1].name}/{path.parent.name}": path.parent for path in folder.glob("*/*/run.json")}


def test_every_run_is_there_with_its_table_notebook_and_cost(finished):
    found = runs(finished)
    assert sorted(found) == [f"{name}/seed{seed}" for name in ("feddualavg", "fedmid") for seed in (0, 1)]
    for folder in found.values():
        run = load_run(folder)
        assert sorted(run.table["round"].unique()) == [0, 3, 6]
        assert "train_run" in (folder / "train.ipynb").read_text()
        assert run.manifest.peak_memory_mb > 100


def test_the_tuned_seed_trains_what_the_sweep_selected(finished):
    found = runs(finished)
    for algorithm in ("feddualavg", "fedmid"):
        sweep, tuned = (load_run(found[f"{algorithm}/seed{seed}"]).manifest for seed in (0, 1))
        assert sweep.trained == (0, 1, 2, 3)
        assert sweep.diverged
        assert tuned.trained == (sweep.selected.configuration,)
        assert tuned.dataset.sha256 != sweep.dataset.sha256


def test_claims_and_pages_are_written(finished):
    reports = finished.folder / "reports"
    assert [path.name for path in (reports / "claims").iterdir()] == ["fco.json"]  # of no other paper there is a page
    claims = json.loads((reports / "claims/fco.json").read_text())
    assert {claim["paper"] for claim in claims} == {"fco"}
    for page in ("index.html", "fco.html", "assumptions.html"):
        text = (reports / page).read_text()
        assert "LASSO" in text
        assert not re.search(r'<(?:script|img|link)[^>]+(?:src|href)="https?://', text)
    assert list((reports / "figures").glob("**/*.svg"))


def test_a_second_call_does_nothing(finished):
    done = finished.run(*ONLY)
    assert done.returncode == 0
    assert "Nothing to be done" in done.stderr
    assert not finished.processes()


def due(project) -> set[str]:
    """The rules that would run."""
    done = project.run("--dry-run", "--summary", *ONLY)
    assert done.returncode == 0, done.stderr
    rows = (line.split("\t") for line in done.stdout.splitlines() if line.count("\t") == 5)
    return {row[2] for row in rows if row[5] == "update pending"}


def test_only_what_a_change_concerns_is_made_again(finished):
    path = finished.folder / "config/experiments/fco/small.yaml"
    content = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({**content, "title": "A better title"}))
    assert "train" not in due(finished)
    path.write_text(yaml.safe_dump({**content, "training": {**content["training"], "rounds": 9}}))
    assert "train" in due(finished)
    path.write_text(yaml.safe_dump(content))
    notebook = finished.folder / "notebooks/train.ipynb"
    text = notebook.read_text()
    notebook.write_text(text.replace("The best configurations", "The best ones").replace("seed = 0", "seed = 1"))
    assert "train" not in due(finished)
    notebook.write_text(text.replace("summary(result)", "summary(result).head()"))
    assert "train" in due(finished)
