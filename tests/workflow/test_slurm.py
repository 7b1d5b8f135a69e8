"""Jobs through a real Slurm, by the profile that users have: the same numbers as without it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

ROOT = Path(__file__).parents[2]
TFF = ROOT / ".env/tff/bin/python"
WITH_SLURM = ROOT / "tests/workflow/with_slurm.sh"
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "setpriv")
PLACES = os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/sbin"])
ONLY = ["--config", 'experiments=["fco/small"]']
RUNS = [f"data/runs/quick/fco/small/{algorithm}/seed0" for algorithm in ("feddualavg", "fedmid")]
SOON = ["--slurm-init-seconds-before-status-checks", "1", "--latency-wait", "5"]

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(not TFF.exists(), reason="the TFF environment is not made: run `make test`"),
    pytest.mark.skipif(
        not all(shutil.which(program, path=PLACES) for program in PROGRAMS),
        reason="Slurm is not installed (Debian, Ubuntu: apt install slurm-wlm munge)",
    ),
]


@pytest.fixture(scope="module")
def python(tmp_path_factory) -> Path:
    """A Python that has the workflow environment, and the plugin from its lock beside it."""
    folder = tmp_path_factory.mktemp("slurm") / "environment"
    uv = [sys.executable, "-m", "uv", "--quiet"]
    subprocess.run([*uv, "venv", "--python", sys.executable, folder], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    workflow = next(path for path in sys.path if path.endswith("site-packages"))
    (site / "workflow.pth").write_text(f"import site; site.addsitedir({workflow!r})\n")
    made = folder / "bin/python"
    command = [*uv, "pip", "install", "--python", made, "--no-deps", "--require-hashes", "-r", ROOT / "envs/slurm.txt"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"the plugin of envs/slurm.txt could not be fetched: {done.stderr}")
    return made


@pytest.fixture(scope="module")
def make_small(make_project):
    """Makes projects that hold one small experiment, of two algorithms and one seed."""

    def make():
        project = make_project(TFF)
        folder = project.folder / "config/experiments/fco"
        content = yaml.safe_load((folder / "lasso_I.yaml").read_text())
        content.pop("quick")
        content["training"]["rounds"] = 6
        content["evaluation"] = {"every": 3, "splits": ["train", "validation"]}
        content["sweep"] = {"client_lr": [0.0003, 0.001], "server_lr": [1]}
        content["select"] = {"metric": "f1", "split": "model", "best": "highest", "over_last": 3}
        content |= {"seeds": {"sweep": [0], "tuned": []}, "algorithms": {"feddualavg": {}, "fedmid": {}}}
        (folder / "small.yaml").write_text(yaml.safe_dump(content))
        return project

    return make


def metrics(project, run: str) -> pd.DataFrame:
    """What a run measured, but for what depends on the clock."""
    table = pd.read_parquet(project.folder / run / "metrics.parquet")
    return table[table["metric"] != "seconds"].reset_index(drop=True)


def finish(command: list, said: Path, **options: Any) -> int:
    """The exit status of a command; asked to end, so that Slurm ends with it, when it or this test takes too long."""
    with said.open("w") as out, subprocess.Popen(command, stdout=out, stderr=out, **options) as process:
        try:
            return process.wait(timeout=1200)
        finally:
            process.terminate()


def test_the_profile_gives_the_numbers_of_this_machine(python, make_small):
    here, there = make_small(), make_small()
    local = here.run(*ONLY, "--", *(f"{run}/metrics.parquet" for run in RUNS))
    assert local.returncode == 0, local.stderr
    profile = ["--profile", "workflow/profiles/slurm", *SOON, *ONLY]
    command = ["bash", WITH_SLURM, python, "-m", "snakemake", *profile, "--", "reports/fco.html"]
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "JUPYTER_PATH": str(Path(sys.prefix) / "share/jupyter"),  # templates of pages, which its Python would not find
    }
    said = there.folder / "out.txt"
    status = finish(command, said, cwd=there.folder, env=environment)
    assert status == 0, said.read_text()
    words = said.read_text() + "".join(path.read_text() for path in (there.folder / ".snakemake/log").glob("*.log"))
    jobs = re.findall(r"has been submitted with SLURM jobid (\d+)", words)
    assert len(set(jobs)) >= 1 + len(RUNS) + 1  # store, trainings, page
    for run in RUNS:
        expected, found = metrics(here, run), metrics(there, run)
        assert len(found) > 20
        pd.testing.assert_frame_equal(found, expected, check_exact=True)
        with np.load(here.folder / run / "model.npz") as model, np.load(there.folder / run / "model.npz") as other:
            assert sorted(model) == sorted(other)
            assert all(np.array_equal(model[name], other[name]) for name in model)
    assert "LASSO" in (there.folder / "reports/fco.html").read_text()
    assert not there.processes()
