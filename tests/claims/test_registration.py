"""Whether a claim was written before its run, in a small repository."""

from __future__ import annotations

import subprocess

import pytest
import yaml
from committing import SETTINGS, claim
from configuration import ROOT
from published_results import FOLDER

from fedatlas.claims.registered import read_registered
from fedatlas.claims.registration import registered
from fedatlas.cli import main
from fedatlas.errors import AtlasError
from fedatlas.results.published import seal
from fedatlas.results.published.read import read_verdicts


def test_written_before_the_run(repository):
    repository(1, claims=[claim()])
    repository(5, started=3)
    found = registered(repository.root)["toy/c"]
    assert found["state"] == "registered before the run"
    assert found["words"].startswith("Written before its first run (")


def test_the_command_writes_what_the_history_says(repository, capsys):
    repository(1, claims=[claim()])
    repository(5, started=3)
    out = repository.root / "reports/published"
    seal(out)
    assert main(["register", "--config", str(repository.root / "config"), "--out", str(out)]) == 0
    assert read_registered(out) == registered(repository.root)
    assert "registered.json: 1 registered before the run" in capsys.readouterr().out


def test_a_threshold_that_was_changed_after_a_result(repository):
    repository(1, claims=[claim()])
    repository(5, started=3)
    repository(6, claims=[claim(margin=0.5)])
    repository(8, started=7)
    found = registered(repository.root)["toy/c"]
    assert found["state"] == "changed after a result"  # seen on day 3, though the run that counts came later
    assert found["words"].startswith("Changed after a result: margin (")
    assert "2026-01-06" in found["words"] and found["since"]["subject"] == "Day 6" and found["changed"] == ["margin"]


def test_a_threshold_that_was_put_back(repository):
    repository(1, claims=[claim()])
    repository(5, started=3)
    repository(6, claims=[claim(margin=0.5)])
    repository(7, claims=[claim()])
    assert registered(repository.root)["toy/c"]["state"] == "registered before the run"


def test_a_claim_that_is_no_longer_judged_at_the_scale_of_its_runs(repository):
    repository(1, claims=[claim() | {"needs_scale": "quick"}])
    repository(5, started=3, scale="medium")
    repository(6, claims=[claim() | {"needs_scale": "medium"}])
    assert registered(repository.root)["toy/c"]["state"] == "registered before the run"
    repository(7, claims=[claim()])
    assert registered(repository.root)["toy/c"]["changed"] == ["scale that it needs"]


def test_a_claim_that_counts_since_a_result(repository):
    repository(1, claims=[claim() | {"by_construction": "It is proved."}])
    repository(5, started=3)
    assert registered(repository.root)["toy/c"]["state"] == "registered before the run"
    repository(6, claims=[claim()])
    assert registered(repository.root)["toy/c"]["changed"] == ["whether it counts"]


def test_a_claim_that_the_commit_of_its_run_does_not_have(repository):
    without = repository(1, claims=[])
    repository(2, claims=[claim()])
    repository(5, started=3, of=without)
    assert registered(repository.root)["toy/c"]["state"] == "added after a result"


def test_a_claim_that_moves_to_the_next_of_its_experiments(repository):
    repository(1, claims=[claim() | {"experiment": "other", "also": ["first"]}])
    repository(5, started=3)
    assert registered(repository.root)["toy/c@first"]["state"] == "registered before the run"
    repository(6, claims=[claim()])
    assert registered(repository.root)["toy/c"]["state"] == "registered before the run"


def test_a_result_of_another_experiment_that_the_claim_compares(repository):
    repository(1, claims=[])
    repository(2, name="second")
    repository(4, started=3, name="second")
    repository(5, claims=[claim(order=["fedavg", "second/fedavg"])])
    repository(8, started=7)
    found = registered(repository.root)["toy/c"]
    assert (found["state"], found["first_run"][:10]) == ("added after a result", "2026-01-03")


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
    wider = SETTINGS | {"sweep": {"client_lr": [0.1, 1]}}
    repository(1, claims=[claim()])
    repository(5, started=3)
    repository(6, settings=wider)
    repository(8, started=7, settings=wider)
    found = registered(repository.root)["toy/c"]
    assert found["state"] == "changed after a result"
    assert found["words"].endswith("Settings changed after a result: sweep (run again on 2026-01-07).")


def test_a_grid_counts_for_claims_that_compare_its_algorithm(repository):
    own = {**SETTINGS["algorithms"], "scaffold": {"label": "S", "sweep": {"client_lr": [1]}}}
    wider = SETTINGS | {"algorithms": own}
    repository(1, claims=[claim(), claim("about_it", order=["fedavg", "scaffold"])])
    repository(5, started=3)
    repository(6, settings=wider)
    repository(8, started=7, settings=wider)
    found = registered(repository.root)
    assert found["toy/c"]["state"] == "registered before the run"
    assert "Settings changed after a result: sweep of scaffold (run" in found["toy/about_it"]["words"]


def test_a_setting_that_was_not_committed_before_the_run(repository):
    shorter = SETTINGS | {"training": {"rounds": 5}}
    repository(1, claims=[claim()])
    repository(5, started=3, settings=shorter)
    repository(6, settings=shorter)
    found = registered(repository.root)["toy/c"]
    assert found["state"] == "settings not shown by git before the run"
    assert found["words"].endswith("Settings that git does not show before the run: training.")


def test_settings_are_those_of_the_commit_of_the_run(repository):
    longer = SETTINGS | {"training": {"rounds": 50}}
    early = repository(1, claims=[claim()])
    late = repository(2, settings=longer)
    repository(5, started=3, of=early)
    assert registered(repository.root)["toy/c"]["state"] == "registered before the run"
    repository(6, started=3, of=late)
    assert registered(repository.root)["toy/c"]["state"] == "settings not shown by git before the run"


def test_a_commit_younger_than_the_start_of_its_run_does_not_show_its_settings(repository):
    longer = SETTINGS | {"training": {"rounds": 50}}
    repository(1, claims=[claim()], settings=longer)
    late = repository(4, settings=SETTINGS)
    repository(5, started=3, of=late)  # begun before, and resumed at that commit
    assert registered(repository.root)["toy/c"]["state"] == "settings not shown by git before the run"


def test_settings_that_a_file_extends_and_defaults_of_training(repository):
    repository(1, name="base")
    repository(2, claims=[claim()], settings={"extends": "base", "training": {"rounds": 20}})
    repository(5, started=3, settings=SETTINGS | {"training": {"rounds": 20, "momentum": 0}})
    assert registered(repository.root)["toy/c"]["state"] == "registered before the run"


def test_words_and_new_names_change_nothing(repository):
    new = SETTINGS | {"algorithms": {"fedavg": {}, "fedavg_finetuned_10": {"label": "Tuned"}, "scaffold": {}}}
    repository(1, claims=[claim()])
    repository(5, started=3)
    renaming = [claim(order=["fedavg", "fedavg_finetuned_10"]) | {"statement": "It works."}]
    until = repository(6, claims=renaming, started=3, settings=new)
    repository(7, settings=new, renamed=[{"until": until, "ids": {"fedavg_tuned": "fedavg_finetuned"}}])
    assert registered(repository.root)["toy/c"]["state"] == "registered before the run"
    repository(8, settings=new)
    found = registered(repository.root)["toy/c"]
    assert (found["state"], found["changed"]) == ("changed after a result", ["order"])


def test_new_names_need_no_new_results(repository):
    new = SETTINGS | {"algorithms": {"fedavg": {}, "fedavg_finetuned_10": {}, "scaffold": {}}}
    repository(1, claims=[claim()])
    repository(5, started=3)
    until = repository(6, claims=[claim(order=["fedavg", "fedavg_finetuned_10"])], settings=new)
    repository(7, settings=new, renamed=[{"until": until, "ids": {"fedavg_tuned": "fedavg_finetuned"}}])
    assert registered(repository.root)["toy/c"]["state"] == "registered before the run"


def test_a_commit_whose_file_cannot_be_read_holds_no_claim(repository):
    repository(1, claims=[claim()])
    file = next((repository.root / "config/claims").rglob("*.yaml"))
    for day, broken in ((2, "claims: ["), (3, "claims: [{statement: a draft}]")):
        file.write_text(broken)
        repository(day)
    repository(4, claims=[claim()])
    repository(5, started=3)
    assert registered(repository.root)["toy/c"]["state"] == "registered before the run"


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


def test_a_result_that_is_not_committed(repository):
    repository(1, claims=[claim()])
    path = repository.root / "reports/published/toy/first/manifest.json"
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    with pytest.raises(AtlasError, match="toy/first/manifest.json is not committed: commit it, then register"):
        registered(repository.root)


def test_a_part_of_the_history(repository, tmp_path_factory):
    repository(1, claims=[claim()])
    repository(2)
    part = tmp_path_factory.mktemp("part") / "clone"
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{repository.root}", part], check=True)
    with pytest.raises(AtlasError, match="does not have the whole history .*git fetch --unshallow"):
        registered(part)


def test_every_published_verdict_is_registered():
    published = [verdict for path in FOLDER.glob("*/*/claims.json") for verdict in read_verdicts(path)]
    found = read_registered(FOLDER)
    assert published
    names = {f"{verdict['paper']}/{verdict['id']}" for verdict in published}
    assert names <= set(found) and all("@" in name for name in set(found) - names)  # readings that cannot be compared
    for one in found.values():
        assert {"state", "words", "since", "first_run", "changed"} == set(one)


def test_what_is_registered_is_what_the_history_says():
    try:
        found = registered(ROOT)
    except AtlasError as error:
        pytest.skip(f"a part of the history, or none: {error}")
    assert read_registered(FOLDER) == found


def test_without_a_history(tmp_path):
    with pytest.raises(AtlasError, match="git cannot read"):
        registered(tmp_path)


def test_a_damaged_file(tmp_path):
    assert read_registered(tmp_path) == {}
    (tmp_path / "registered.json").write_text("{")
    with pytest.raises(AtlasError, match="registered.json is damaged .*run `fedatlas register` again"):
        read_registered(tmp_path)
