"""The pinned environments: complete, without hosts, and the same in every file that names them."""

from __future__ import annotations

import importlib
import re
import runpy
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ENVS = ROOT / "envs"
MAKER = runpy.run_path(str(ROOT / "workflow/scripts/write_conda_files.py"))


def names(requirements: list[str]) -> set[str]:
    return {re.match(r"[\w.-]+", requirement)[0].lower() for requirement in requirements}


@pytest.mark.parametrize("path", [ENVS / "workflow.yaml", ENVS / "tff.yaml"], ids=lambda path: path.name)
def test_conda_files_equal_the_pins(path):
    assert path.read_text() == MAKER["conda_files"]()[path], "run `make lock`"
    python, pip, packages = yaml.safe_load(path.read_text())["dependencies"]
    pins = MAKER["pins"](ENVS / "workflow.txt")
    assert (python, pip) == ("python=3.11", "pip")
    assert packages["pip"]
    assert set(packages["pip"]) <= set(pins)
    assert path.name != "workflow.yaml" or packages["pip"] == pins


@pytest.mark.parametrize(("name", "least"), [("workflow", 100), ("tff", 100), ("slurm", 3)])
def test_every_pin_has_a_hash_and_no_file_names_a_host(name, least):
    text = (ENVS / f"{name}.txt").read_text()
    requirements = re.split(r"\n(?=\w)", text)
    assert len(requirements) >= least
    assert all("--hash=sha256:" in requirement for requirement in requirements)
    assert "://" not in text
    assert "index-url" not in text


@pytest.mark.parametrize("name", ["workflow", "tff", "slurm"])
def test_lock_holds_what_is_asked_for(name):
    lines = (line.split("#")[0].strip() for line in (ENVS / f"{name}.in").read_text().splitlines())
    asked = [line for line in lines if line and not line.startswith("--")]
    assert names(asked) <= names(MAKER["pins"](ENVS / f"{name}.txt")), "run `make lock`"


def test_tff_environment_keeps_what_tff_needs():
    pins = dict(pin.split("==") for pin in MAKER["pins"](ENVS / "tff.txt"))
    assert pins["tensorflow-federated"] == "0.87.0"
    assert pins["tensorflow"].startswith("2.14.")
    assert pins["jax"] == pins["jaxlib"] == "0.4.13"
    assert tuple(map(int, pins["typing-extensions"].split(".")[:2])) >= (4, 12)


def test_slurm_adds_its_plugins_and_changes_nothing():
    added = set(MAKER["pins"](ENVS / "slurm.txt")) - set(MAKER["pins"](ENVS / "workflow.txt"))
    assert sorted(names(added)) == ["snakemake-executor-plugin-slurm", "snakemake-executor-plugin-slurm-jobstep"]


def test_uv_is_installed_by_its_own_pin_and_hashes(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "workflow/scripts"))
    pin = importlib.import_module("make_workflow_environment").uv_pin((ENVS / "workflow.txt").read_text())
    assert names(pin.splitlines()[:1]) == {"uv"}
    assert pin.count("==") == 1
    assert pin.count("--hash=sha256:") > 1
