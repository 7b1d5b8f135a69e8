"""The rules that fetch and partition, run by snakemake in a folder of their own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from fedatlas.data.datasets.a9a import A9a

ROOT = Path(__file__).parents[2]
DATASET = {"name": "a9a", "partition": {"name": "equal", "clients": 2}, "splits": "standard", "seed": 0}
EVALUATION = {"every": 10, "splits": ["train", "test"]}
SELECT = {"metric": "loss", "split": "train", "best": "lowest", "over_last": 1}
PAPER = {
    "title": "T", "short": "T", "authors": ["A"], "venue": "V", "year": 2021, "link": "https://a.org", "about": "A",
    "figures": [{"id": "Figure 3", "about": "F", "panels": [{"metric": "loss", "split": "train"}]}],
}  # fmt: skip
STORE = "data/clients/a9a_partition-equal-clients-2_splits-standard_seed-0/manifest.json"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The workflow with one experiment, on a9a, and a mirror that has a dull one."""
    for part in ("Snakefile", "pyproject.toml"):
        shutil.copy(ROOT / part, tmp_path)
    for part in ("workflow", "envs", "notebooks"):
        shutil.copytree(ROOT / part, tmp_path / part)
    (tmp_path / "config" / "experiments" / "fco").mkdir(parents=True)
    (tmp_path / "config" / "papers").mkdir()
    (tmp_path / "config" / "papers" / "fco.yaml").write_text(yaml.safe_dump(PAPER))
    shutil.copy(ROOT / "config" / "quick.yaml", tmp_path / "config")
    experiment = yaml.safe_load((ROOT / "config" / "experiments" / "fco" / "lasso_I.yaml").read_text())
    experiment["training"]["cohort"] = "all"
    (tmp_path / "config" / "experiments" / "fco" / "tiny.yaml").write_text(
        yaml.safe_dump(experiment | {"dataset": DATASET, "evaluation": EVALUATION, "select": SELECT, "assumptions": []})
    )
    sources = yaml.safe_load((ROOT / "data" / "sources.yaml").read_text())
    sources["a9a"]["layouts"] = {"original": {"files": {"a9a": {}, "a9a.t": {}}, "unchecked": "made here"}}
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "sources.yaml").write_text(yaml.safe_dump(sources))
    (tmp_path / "mirror").mkdir()
    for name, examples in A9a.files.items():
        (tmp_path / "mirror" / name).write_text("-1 1:1 3:1\n" + (examples - 1) * "+1 123:1\n")
    return tmp_path


def snakemake(project: Path, *arguments: str) -> tuple[int, str]:
    """The exit status and what was said."""
    command = [sys.executable, "-m", "snakemake", "--cores", "1", STORE, *arguments]
    environment = {name: value for name, value in os.environ.items() if name != "FEDATLAS_MIRROR"}
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False, env=environment)
    return done.returncode, done.stdout + done.stderr


def test_a_store_is_made_from_what_the_configured_mirror_holds_and_only_once(project):
    status, said = snakemake(project, "--config", "mirror=mirror")
    assert status == 0, said
    manifest = json.loads((project / STORE).read_text())
    assert manifest["source"]["source"] == "a9a"
    assert sum(client["examples"] for client in manifest["splits"]["train"]["clients"]) == A9a.files["a9a"]
    stamp = (project / "data" / "raw" / "a9a.sha256").read_text()
    assert stamp.count("  a9a/a9a") == 2
    status, said = snakemake(project, "--config", "mirror=elsewhere")
    assert status == 0, said
    assert "Nothing to be done" in said


def test_without_a_mirror_the_log_says_what_to_do(project):
    status, _ = snakemake(project)
    assert status == 1
    log = (project / "logs" / "fetch" / "a9a.log").read_text()
    assert "source 'a9a': a9a (size not known) could not be fetched (it has no public address)" in log
    assert "FEDATLAS_MIRROR or `mirror:`" in log
    assert not (project / "data" / "raw" / "a9a.sha256").exists()
