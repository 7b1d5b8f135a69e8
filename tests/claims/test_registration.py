"""Whether a claim was written before its run, in a small repository."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
import yaml

from fedatlas.claims.registered import read_registered
from fedatlas.claims.registration import registered
from fedatlas.errors import AtlasError

CHECK = {"kind": "ordering", "order": ["fedavg", "fedavg_tuned_10"], "margin": 0}
SETTINGS = {"scale": "paper", "sweep": {"client_lr": [0.1]}}


@pytest.fixture
def repository(tmp_path):
    """commit(day, claims={...}, runs={...}) commits files on a day of January and returns the hash."""

    def git(*arguments, day=1):
        when = f"2026-01-{day:02}T12:00:00+0000"
        names = {
            f"GIT_{who}_{what}": "test@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
        }
        variables = {**os.environ, **names, "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        return subprocess.run(["git", "-C", tmp_path, *arguments], check=True, capture_output=True, text=True,
                              env=variables).stdout.strip()  # fmt: skip

    def commit(day, claims=None, started=None, settings=SETTINGS, renamed=None):
        if claims is not None:
            write("config/claims/toy/figure_1.yaml", yaml.safe_dump({"claims": claims}))
        if started is not None:
            manifest = {"experiment": settings, "runs": [{"started": f"2026-01-{started:02}T12:00:00+00:00"}]}
            write("reports/published/toy/first/manifest.json", json.dumps(manifest))
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


def claim(id="c", **changes):
    return {"id": id, "experiment": "first", "needs_scale": "paper", "check": CHECK | changes}


def test_written_before_the_run(repository):
    repository(1, claims=[claim()])
    repository(5, started=3)
    found = registered(repository.root)["toy/c"]
    assert found["state"] == "registered before the run"
    assert found["words"].startswith("Written before its first run (")


def test_a_threshold_that_was_changed_after_a_result(repository):
    repository(1, claims=[claim()])
    repository(5, started=3)
    repository(6, claims=[claim(margin=0.5)])
    repository(8, started=7)
    found = registered(repository.root)["toy/c"]
    assert found["state"] == "changed after a result"  # seen on day 3, though the run that counts came later
    assert "2026-01-06" in found["words"] and "Day 6" in found["words"]


def test_a_claim_that_was_added_after_a_result(repository):
    repository(1, claims=[claim()])
    repository(5, started=3)
    repository(6, claims=[claim(), claim("late")])
    found = registered(repository.root)
    assert (found["toy/c"]["state"], found["toy/late"]["state"]) == (
        "registered before the run",
        "added after a result",
    )


def test_a_grid_that_was_changed_after_a_result(repository):
    repository(1, claims=[claim()])
    repository(5, started=3)
    repository(8, started=7, settings=SETTINGS | {"sweep": {"client_lr": [0.1, 1]}})
    found = registered(repository.root)["toy/c"]
    assert found["state"] == "changed after a result"
    assert "Settings changed after a result: sweep (run again on 2026-01-07)" in found["words"]


def test_words_and_new_names_change_nothing(repository):
    repository(1, claims=[claim()])
    repository(5, started=3)
    renaming = [claim(order=["fedavg", "fedavg_finetuned_10"]) | {"statement": "It works."}]
    until = repository(6, claims=renaming)
    repository(7, renamed=[{"until": until, "ids": {"fedavg_tuned": "fedavg_finetuned"}}])
    assert registered(repository.root)["toy/c"]["state"] == "registered before the run"
    repository(8)
    assert registered(repository.root)["toy/c"]["state"] == "changed after a result"


def test_a_number_that_moves_into_its_table_changes_nothing(repository):
    bound = {"kind": "value", "at": "last", "margin": 0.02}
    old = {
        "id": "c",
        "experiment": "first",
        "check": {**bound, "algorithms": ["a"], "expect": 0.731, "better": "highest"},
    }
    repository(1, claims=[old])
    repository(5, started=3)
    table = repository.root / "config/paper_results/printed.yaml"
    table.parent.mkdir(parents=True)
    table.write_text(yaml.safe_dump({"table_values": {"Data": {"A": 73.1}}}))
    entry = {"id": "c", "source": "Table 2", "statement": "A reaches {number}.", "table": "printed",
             "rows": {"Data": "first"}, "methods": {"a": ["A", "a"]}, "check": bound}  # fmt: skip
    repository(6, claims=[entry])
    assert registered(repository.root)["toy/c"]["state"] == "registered before the run"
    table.write_text(yaml.safe_dump({"table_values": {"Data": {"A": 73.2}}}))
    repository(7, claims=[entry | {"statement": "A reaches {number} per cent."}])
    assert registered(repository.root)["toy/c"]["state"] == "changed after a result"


def test_a_reading_is_as_old_as_its_claim(repository):
    repository(1, claims=[claim()])
    path = repository.root / "reports/published/toy/first_zero/manifest.json"
    path.parent.mkdir(parents=True)
    reading = {
        "experiment": SETTINGS | {"reading": {"of": "first"}},
        "runs": [{"started": "2026-01-04T00:00:00+00:00"}],
    }
    path.write_text(json.dumps(reading))
    repository(5)
    assert registered(repository.root)["toy/c@first_zero"]["state"] == "registered before the run"


def test_without_a_history(tmp_path):
    with pytest.raises(AtlasError, match="git cannot read"):
        registered(tmp_path)


def test_a_damaged_file(tmp_path):
    assert read_registered(tmp_path) == {}
    (tmp_path / "registered.json").write_text("{")
    with pytest.raises(AtlasError, match="registered.json is damaged .*run `fedatlas register` again"):
        read_registered(tmp_path)
