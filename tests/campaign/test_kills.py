"""Ten kills of the workflow at moments of their own, and what a damaged file does to its next call."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from campaign.kills import PUBLISHING, Campaign, Project, run

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.pipeline
ONE = ["--config", 'experiments=["fco/lasso_I"]', "--until", "partition"]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder whose name is short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="kills-", dir="/tmp") as folder:
        yield Path(folder)


@pytest.fixture
def project(folder) -> Iterator[Project]:
    made = Project(folder / "project", Path(sys.executable))
    yield made
    made.end()


def test_ten_kills_lose_nothing(folder):
    campaign = Campaign(folder, seed=1)
    try:
        run(campaign, 10)
    finally:
        campaign.project.end()
    assert campaign.lost == []
    assert sum(campaign.tried.values()) == 10 and campaign.tried[PUBLISHING] == 1


def test_a_damaged_store_is_made_again(project):
    assert project.run(*ONE).returncode == 0
    (store,) = (project.folder / "data/clients").iterdir()
    whole = {path: path.read_bytes() for path in store.rglob("*.bin")}
    path = store / "train/000003.bin"
    path.write_bytes(bytes(len(whole[path])))
    done = project.run(*ONE)
    assert done.returncode == 0, done.stderr
    name = path.relative_to(project.folder)
    assert f"fedatlas: {name} is damaged (its sha256 is not that of manifest.json): it is made again" in done.stderr
    assert {path: path.read_bytes() for path in store.rglob("*.bin")} == whole
    assert "it is made again" not in project.run(*ONE).stderr


def test_a_bound_on_addresses_is_told_before_anything_runs(project):
    def bound():
        resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, resource.RLIM_INFINITY))

    done = project.run(*ONE, preexec_fn=bound)
    assert done.returncode == 1
    assert "fedatlas: a process may use 4.0 GiB of address space here (`ulimit -v`)" in done.stderr
    assert "Traceback" not in done.stderr and not (project.folder / "data/clients").exists()


def test_a_folder_that_takes_no_files_is_told_before_anything_runs(project):
    (project.folder / "logs").mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8k", "none", project.folder / "logs"], check=False
    ).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        done = project.run(*ONE)
    finally:
        subprocess.run(["umount", project.folder / "logs"], check=True)
    assert done.returncode == 1
    assert "fedatlas: logs has 0.0 MB left, and a run needs 20: free some space" in done.stderr
    assert "Traceback" not in done.stderr and not (project.folder / "data/clients").exists()
