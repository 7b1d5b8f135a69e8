"""A small experiment whose numbers a test prescribes, and a small repository whose commits it does."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
import yaml
from committing import SETTINGS
from made_runs import write_run

from fedatlas.experiments.runs import runs_of
from fedatlas.experiments.spec import load_experiments
from fedatlas.results.collection import Results, read_results

TOY = {
    "paper": "toy",
    "figure": "Figure 1",
    "title": "A toy",
    "question": "Does it work?",
    "dataset": {"name": "lasso", "variant": "I"},
    "problem": {"name": "linear_regression", "nonzero_above": 0.01, "penalty": {"name": "l1", "strength": 0.4}},
    "training": {
        "rounds": 100, "cohort": 10, "local_epochs": 1, "batch_size": 10, "weighting": "uniform", "precision": "float32"
    },
    "evaluation": {"every": 10, "splits": ["train"]},
    "sweep": {"client_lr": [0.001, 0.01, 0.1], "server_lr": [0.3, 1, 3]},
    "select": {"metric": "f1", "split": "model", "best": "highest", "over_last": 20},
    "seeds": {"sweep": [0], "tuned": [1, 2, 3]},
    "algorithms": {"feddualavg": {}, "fedmid": {}},
    "quick": {"training": {"rounds": 50}, "seeds": {"sweep": [0], "tuned": []}},
}  # fmt: skip

Level = float | Callable[[np.ndarray], np.ndarray]
Make = Callable[..., Results]


@pytest.fixture
def results_of(tmp_path: Path) -> Make:
    """Makes runs in which F1 of an algorithm and seed is a prescribed number (or curve) at every round.

    The numbers are those of the seeds that count; the seed of the sweep, which selects, has the first.

    make({"feddualavg": [0.9, 0.91, 0.92]}, chosen={"feddualavg": 4}, diverged={...}, other={...}, scale="paper")
    `other` gives the numbers of a second experiment, toy/second, and `second` the keys in which its file differs.
    """

    def make(
        levels: Mapping[str, list[Level]],
        other: Mapping[str, list[Level]] | None = None,
        chosen: Mapping[str, int] | None = None,
        diverged: Mapping[str, set[int]] | None = None,
        scale: str = "paper",
        second: Mapping[str, str] = {"figure": "Figure 2"},
    ) -> Results:
        config = tmp_path / "experiments"
        (config / "toy").mkdir(parents=True)
        (config / "toy" / "first.yaml").write_text(yaml.safe_dump(TOY))
        if other is not None:
            (config / "toy" / "second.yaml").write_text(yaml.safe_dump({**TOY, **second}))
        known = load_experiments(config, scale)
        numbers = {"toy/first": levels, "toy/second": other}
        for run in runs_of(known.values()):
            level = numbers[run.experiment.key].get(run.algorithm, [0.5, 0.5, 0.5])[max(run.seed - 1, 0)]

            def curve(run, configuration, split, metric, rounds, level=level):
                return level(rounds) if callable(level) else np.full(len(rounds), level)

            bad = (diverged or {}).get(run.algorithm, set())
            write_run(tmp_path / "runs" / run.folder, run, curve, bad, (chosen or {}).get(run.algorithm, 4))
        return read_results(tmp_path / "runs", known, scale)

    return make


@pytest.fixture
def runs_folder(tmp_path: Path) -> Path:
    """Where `results_of` writes the runs."""
    return tmp_path / "runs"


@pytest.fixture
def repository(tmp_path):
    """commit(day, claims=[...], started=day, ...) commits files on a day of January and returns the hash."""

    def git(*arguments, day=1):
        when = f"2026-01-{day:02}T12:00:00+0000"
        names = {
            f"GIT_{who}_{what}": "test@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
        }
        alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}  # not as the user has set git up
        others = {key: value for key, value in os.environ.items() if key != "GIT_DIR"}
        variables = {**others, **alone, **names, "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        return subprocess.run(["git", "-C", tmp_path, *arguments], check=True, capture_output=True, text=True,
                              env=variables).stdout.strip()  # fmt: skip

    def commit(day, claims=None, started=None, of=None, settings=SETTINGS, renamed=None, name="first", **experiment):
        """`started` publishes runs of that day and of a commit; `settings` are the experiment's from now on."""
        if claims is not None:
            write("config/claims/toy/figure_1.yaml", yaml.safe_dump({"claims": claims}))
        if started is not None:
            time = f"2026-01-{started:02}T12:00:00+00:00"
            runs = [{"algorithm": id, "started": time, "commit": of} for id in settings["algorithms"]]
            manifest = {"experiment": {"scale": "paper"} | settings | experiment, "runs": runs}
            write(f"reports/published/toy/{name}/manifest.json", json.dumps(manifest))
        else:
            write(f"config/experiments/toy/{name}.yaml", yaml.safe_dump(settings))
        write("config/renamed.yaml", yaml.safe_dump({"renamed": renamed or []}))
        git("add", "-A", day=day)
        git("commit", "--allow-empty", "-m", f"Day {day}", day=day)
        return git("rev-parse", "HEAD")

    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    git("init", "-q")
    commit.root = tmp_path
    return commit
