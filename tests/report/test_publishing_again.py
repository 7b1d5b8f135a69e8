"""Publishing one experiment where others, or other settings of it, have been published before."""

import json
import shutil
from pathlib import Path

import configuration
import pytest
from made_runs import saturating, write_runs

from fedatlas.cli import main
from fedatlas.results.published import load_published
from fedatlas.results.published.read import KEPT_SCALES

CONFIG = Path(__file__).parents[2] / "config"
SCALED = {scale: configuration.known(scale) for scale in KEPT_SCALES}
KNOWN = SCALED["paper"]
COMPARED, OTHER = "fco/lasso_II", "fco/lasso_I"  # the claim belongs to the first and compares it with the other
CLAIM = "fig6-osp-faster"


@pytest.fixture
def published(site, tmp_path) -> Path:
    return Path(shutil.copytree(site / "published", tmp_path / "published"))


def slow(run, configuration, split, metric, rounds):
    return saturating(run, configuration, split, metric, rounds / 3)


def publish_alone(key: str, curve, published: Path) -> None:
    runs = published.parent / "runs"
    write_runs(runs, [KNOWN[key]], curve)
    assert main(["publish", "--runs", str(runs), "--config", str(CONFIG), "--out", str(published)]) == 0


def verdict(published: Path) -> dict:
    verdicts = json.loads((published / COMPARED / "claims.json").read_text())
    return next(one for one in verdicts if one["id"] == CLAIM)


def test_a_verdict_follows_the_other_experiment_that_it_compares_with(published, capsys):
    before = verdict(published)
    publish_alone(OTHER, slow, published)
    assert verdict(published)["measured"] != before["measured"]
    assert verdict(published)["status"] == "reproduced" != before["status"]
    assert f"{COMPARED} {CLAIM}: {before['status']} -> reproduced" in capsys.readouterr().out


def test_a_verdict_on_two_experiments_is_not_lost_when_one_of_them_is_published(published):
    before = verdict(published)
    publish_alone(COMPARED, slow, published)
    after = verdict(published)
    assert after["status"] == "not reproduced" and after["measured"] != before["measured"]


def test_settings_are_those_of_the_runs_and_not_of_the_file_since(site):
    now = KNOWN[OTHER]
    longer = now.training.model_copy(update={"rounds": 2 * now.training.rounds})
    changed = now.model_copy(update={"training": longer, "title": "In other words"})
    one = load_published(site / "published", {**SCALED, "paper": {**KNOWN, OTHER: changed}})[OTHER]
    assert one.experiment.training == now.training and one.experiment.title == "In other words"
    assert one.changed == ["training.rounds"]
    assert load_published(site / "published", SCALED)[OTHER].changed == []


def test_what_an_algorithm_got_or_lost_since_is_named(site):
    now = KNOWN[OTHER]
    entries = {id: own for id, own in now.algorithms.items() if id != "fedmid"}
    entries["feddualavg"] = {**entries["feddualavg"], "sweep": {"client_lr": (0.5,)}, "label": "In other words"}
    changed = now.model_copy(update={"algorithms": {**entries, "fedavg": {}}})
    one = load_published(site / "published", {**SCALED, "paper": {**KNOWN, OTHER: changed}})[OTHER]
    assert {*one.changed} == {"algorithms.feddualavg.sweep", "algorithms.fedavg"}
